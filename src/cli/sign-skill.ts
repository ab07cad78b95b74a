import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Problem } from "./problem.ts";
import { type SkillFile, skillFilesIn } from "./skill-source.ts";

/** The file of a skill's folder that has its signature. */
export const SIGNATURE_FILE = "SKILL.sig";

const OWNER_ONLY = 0o600;

/** A signature and its key. */
export interface Signature {
  /** The first 16 hex digits of the SHA-256 of the key's 32 bytes. */
  keyId: string;
  /** The 32 bytes in base64, as `skills.install.trustedKeys` takes them. */
  publicKey: string;
  files: number;
}

/**
 * Signs a skill's folder with an Ed25519 key: writes SKILL.sig beside its SKILL.md. Any later change of a file makes
 * the signature invalid.
 * @param keyFile the private key in PEM; `isNew` creates it
 * @throws Problem where there is no such key or skill, or a key would be overwritten
 */
export async function signSkill(folder: string, keyFile: string, isNew: boolean): Promise<Signature> {
  const files = (await skillFilesIn(folder)).filter(({ path }) => path !== SIGNATURE_FILE);
  const key = isNew ? await makeKey(keyFile) : await readKey(keyFile);
  const raw = createPublicKey(key).export({ format: "der", type: "spki" }).subarray(-32);
  const keyId = createHash("sha256").update(raw).digest("hex").slice(0, 16);
  const signature = sign(null, Buffer.from(canonicalText(files)), key).toString("base64");
  const text = JSON.stringify({ version: 1, algorithm: "ed25519", keyId, signature }, undefined, 2);
  await writeFile(join(folder, SIGNATURE_FILE), `${text}\n`);
  return { keyId, publicKey: raw.toString("base64"), files: files.length };
}

/** The signed text: a header line, then `<sha256> <size> <path>` of each file, sorted by the bytes of their paths. */
export function canonicalText(files: readonly SkillFile[]): string {
  const lines = files.map(({ path, bytes }) => {
    return `${createHash("sha256").update(bytes).digest("hex")} ${bytes.length} ${path}`;
  });
  return ["isopod-skill-v1", ...lines, ""].join("\n");
}

async function makeKey(keyFile: string): Promise<KeyObject> {
  const { privateKey } = generateKeyPairSync("ed25519");
  try {
    const pem = privateKey.export({ format: "pem", type: "pkcs8" });
    await writeFile(keyFile, pem, { mode: OWNER_ONLY, flag: "wx" });
  } catch (error) {
    throw unusable(keyFile, error, "Sign without --new-key to use it, or give another file.");
  }
  return privateKey;
}

async function readKey(keyFile: string): Promise<KeyObject> {
  try {
    const key = createPrivateKey(await readFile(keyFile));
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch (error) {
    throw unusable(keyFile, error, "The file must be an Ed25519 key in PEM; --new-key creates one.");
  }
  throw new Problem(`${keyFile} is not an Ed25519 key.\nCreate one with --new-key.`);
}

function unusable(keyFile: string, error: unknown, hint: string): unknown {
  return error instanceof Error ? new Problem(`${keyFile} cannot be used: ${error.message}\n${hint}`) : error;
}
