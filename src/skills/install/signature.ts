import { z } from "zod";
import { digestOf } from "../../lib/digest.ts";
import { ed25519KeyBytes, fromBase64 } from "../../security/ed25519-key.ts";
import type { PackageFile } from "./archive.ts";
import { canonicalText, type LockedFile, SIGNATURE_FILE } from "./package-manifest.ts";
import { refused } from "./refusal.ts";

const SIGNATURE_BYTES = 64;
const MAX_SIGNATURE_FILE_BYTES = 4096;

/** `SKILL.sig`: an Ed25519 signature of the canonical text of all other files. */
const signatureFile = z.strictObject({
  version: z.literal(1),
  algorithm: z.literal("ed25519"),
  keyId: z.string().max(100).optional(),
  signature: z.string().max(200),
});

/**
 * The result of a signature check. `trusted` names the key: the first 16 hex digits of the SHA-256 of its 32 bytes.
 * `untrusted` is a signature by an unknown key, which proves nothing.
 */
export type SignatureFinding =
  | { kind: "unsigned" }
  | { kind: "untrusted"; keyId?: string | undefined }
  | { kind: "trusted"; keyId: string };

/** Which keys are trusted. */
export interface SignatureRules {
  /** `skills.install.trustedKeys`. */
  trustedKeys: readonly string[];
  requireSignature: boolean;
}

/**
 * Checks the signature of a package, if it has one.
 * @throws IsopodError if the signature file is malformed, if it names a trusted key but does not match it, or if a
 * required signature is missing
 */
export async function checkSignature(
  files: readonly PackageFile[],
  manifest: readonly LockedFile[],
  rules: SignatureRules,
): Promise<SignatureFinding> {
  const file = files.find(({ path }) => path === SIGNATURE_FILE);
  const result: SignatureFinding =
    file === undefined ? { kind: "unsigned" } : await verifySignature(file, manifest, rules);
  if (rules.requireSignature && result.kind !== "trusted") {
    const what = result.kind === "unsigned" ? "has no signature" : "is signed by a key that is not trusted";
    const hint = "Add its author's key to skills.install.trustedKeys, or set skills.install.requireSignature to false.";
    throw refused(
      "not_signed",
      `The skill ${what}, and skills.install.requireSignature asks for one.`,
      hint,
      "forbidden",
    );
  }
  return result;
}

/** The id of a key. */
export async function signingKeyId(key: Uint8Array): Promise<string> {
  return (await digestOf("SHA-256", key)).slice(0, 16);
}

async function verifySignature(
  file: PackageFile,
  manifest: readonly LockedFile[],
  { trustedKeys }: SignatureRules,
): Promise<SignatureFinding> {
  const { signature, keyId } = parseSignatureFile(file.bytes);
  const text = new TextEncoder().encode(canonicalText(manifest.filter(({ path }) => path !== SIGNATURE_FILE)));
  const ids: string[] = [];
  for (const written of trustedKeys) {
    const bytes = ed25519KeyBytes(written);
    if (bytes === undefined) continue;
    const id = await signingKeyId(bytes);
    ids.push(id);
    const key = await crypto.subtle.importKey("raw", bytes, { name: "Ed25519" }, false, ["verify"]);
    if (await crypto.subtle.verify({ name: "Ed25519" }, key, signature, text)) return { kind: "trusted", keyId: id };
  }
  if (keyId !== undefined && ids.includes(keyId)) {
    const message = `The signature in ${SIGNATURE_FILE} is not by the key ${keyId} that it names, or a file was changed since.`;
    throw refused("bad_signature", message, "Get the skill again from where its author keeps it.", "forbidden");
  }
  return { kind: "untrusted", ...(keyId !== undefined && { keyId }) };
}

function parseSignatureFile(bytes: Uint8Array): { signature: Uint8Array<ArrayBuffer>; keyId: string | undefined } {
  const read = signatureFile.safeParse(bytes.length > MAX_SIGNATURE_FILE_BYTES ? undefined : parseJson(bytes));
  const signature = read.success ? fromBase64(read.data.signature) : undefined;
  if (!read.success || signature?.length !== SIGNATURE_BYTES) {
    const hint = `Expected {"version": 1, "algorithm": "ed25519", "keyId": "…", "signature": "<base64>"}; see the page on skills.`;
    throw refused("bad_signature", `${SIGNATURE_FILE} is not a valid signature file.`, hint);
  }
  return { signature, keyId: read.data.keyId };
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return undefined;
    throw thrown;
  }
}
