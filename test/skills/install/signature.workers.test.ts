import { describe, expect, test } from "vitest";
import { IsopodError } from "../../../src/lib/errors.ts";
import { ed25519KeyBytes } from "../../../src/security/ed25519-key.ts";
import { wholeSchema } from "../../../src/services/config-schema.ts";
import type { PackageFile } from "../../../src/skills/install/archive.ts";
import { canonicalText, packageManifest } from "../../../src/skills/install/package-manifest.ts";
import { checkSignature, type SignatureRules, signingKeyId } from "../../../src/skills/install/signature.ts";
import { bytesOf } from "./archives.ts";

const FILES: PackageFile[] = [
  { path: "SKILL.md", bytes: bytesOf("text") },
  { path: "\u{1f600}.md", bytes: bytesOf("b") },
  { path: "\uffee.md", bytes: bytesOf("a") },
];

const base64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes));

async function author() {
  const pair = (await crypto.subtle.generateKey({ name: "Ed25519" }, true, ["sign", "verify"])) as CryptoKeyPair;
  const raw = new Uint8Array((await crypto.subtle.exportKey("raw", pair.publicKey)) as ArrayBuffer);
  const spki = new Uint8Array((await crypto.subtle.exportKey("spki", pair.publicKey)) as ArrayBuffer);
  return {
    raw,
    spki,
    keyId: await signingKeyId(raw),
    async sign(files: readonly PackageFile[], more: object = {}): Promise<PackageFile[]> {
      const text = canonicalText(await packageManifest(files));
      const signed = await crypto.subtle.sign({ name: "Ed25519" }, pair.privateKey, new TextEncoder().encode(text));
      const file = { version: 1, algorithm: "ed25519", signature: base64(new Uint8Array(signed)), ...more };
      return [...files, { path: "SKILL.sig", bytes: bytesOf(JSON.stringify(file)) }];
    },
  };
}

async function findingOf(files: readonly PackageFile[], rules: Partial<SignatureRules>) {
  try {
    return await checkSignature(files, await packageManifest(files), {
      trustedKeys: [],
      requireSignature: false,
      ...rules,
    });
  } catch (thrown) {
    if (!(thrown instanceof IsopodError)) throw thrown;
    return thrown.details.reason;
  }
}

test("the signed text lists the files in the byte order of their paths", async () => {
  expect(canonicalText((await packageManifest(FILES)).toReversed())).toBe(
    [
      "isopod-skill-v1",
      "982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1 4 SKILL.md",
      "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb 1 \uffee.md",
      "3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d 1 \u{1f600}.md",
      "",
    ].join("\n"),
  );
});

describe("signatures of packages", () => {
  test("a signature by a trusted key is accepted in every notation of the key", async () => {
    const { raw, spki, keyId, sign } = await author();
    const files = await sign(FILES);
    const pem = `-----BEGIN PUBLIC KEY-----\n${base64(spki)}\n-----END PUBLIC KEY-----\n`;
    const urlSafe = base64(raw).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    for (const key of [base64(raw), urlSafe, base64(spki), pem]) {
      expect(await findingOf(files, { trustedKeys: [key], requireSignature: true })).toEqual({
        kind: "trusted",
        keyId,
      });
    }
  });

  test("an unknown or missing signature proves nothing, and is refused if one is required", async () => {
    const [stranger, friend] = [await author(), await author()];
    const trustedKeys = [base64(friend.raw)];
    const files = await stranger.sign(FILES, { keyId: stranger.keyId });
    expect(await findingOf(files, { trustedKeys })).toEqual({ kind: "untrusted", keyId: stranger.keyId });
    expect(await findingOf(FILES, { trustedKeys })).toEqual({ kind: "unsigned" });
    expect(await findingOf(files, { trustedKeys, requireSignature: true })).toBe("not_signed");
    expect(await findingOf(FILES, { trustedKeys, requireSignature: true })).toBe("not_signed");
  });

  test("a signature of other files is refused if it names a trusted key", async () => {
    const { raw, keyId, sign } = await author();
    const trustedKeys = [base64(raw)];
    const changed = (await sign(FILES, { keyId })).map((file) =>
      file.path === "SKILL.md" ? { ...file, bytes: bytesOf("evil") } : file,
    );
    const more = [...(await sign(FILES, { keyId })), { path: "z.sh", bytes: bytesOf("evil") }];
    const renamed = (await sign(FILES, { keyId })).map((file) => ({ ...file, path: file.path.replace("\uffee", "b") }));
    for (const files of [changed, more, renamed]) expect(await findingOf(files, { trustedKeys })).toBe("bad_signature");
  });

  test("a malformed signature file is refused", async () => {
    for (const text of [
      "",
      "{",
      "[]",
      '{"version":1,"algorithm":"ed25519","signature":"AAAA"}',
      '{"version":2}',
      "x".repeat(5000),
    ]) {
      expect([text, await findingOf([...FILES, { path: "SKILL.sig", bytes: bytesOf(text) }], {})]).toEqual([
        text,
        "bad_signature",
      ]);
    }
  });
});

test("the configuration accepts only Ed25519 public keys as trusted keys", async () => {
  const { raw, spki } = await author();
  const takes = (key: string) => wholeSchema.safeParse({ skills: { install: { trustedKeys: [key] } } });
  for (const key of [base64(raw), base64(spki)]) expect(takes(key).success).toBe(true);
  for (const key of ["", "abc", base64(raw.slice(1)), base64(spki.slice(1)), "ssh-ed25519 AAAA"]) {
    expect(takes(key).error?.issues[0]?.message).toContain("is no Ed25519 public key");
    expect(ed25519KeyBytes(key)).toBeUndefined();
  }
});
