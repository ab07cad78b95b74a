import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Problem } from "./problem.ts";
import { type SkillFile, skillFilesIn } from "./skill-source.ts";

/** Where a signature is, in the skill's folder. */
export const SIGNATURE_FILE = "SKILL.sig";

const OWNER_ONLY = 0o600;

/** A signature, and who made it. */
export interface Signature {
  /** The first 16 hex digits of the SHA-256 of the key's 32 bytes. */
  keyId: string;
  /** The 32 bytes in base64, as `skills.install.trustedKeys` takes them. */
  publicKey: string;
  files: number;
}

/**
 * Signs a skill's folder with an Ed25519 key: writes SKILL.sig beside its SKILL.md. Whoever changes a file after that makes it worthless.
 * @param keyFile the private key in PEM; made there where `isNew`
 * @throws Problem where there is no such key or skill, or a key would be written over
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

/** What is signed: a first line, then `<sha256> <size> <path>` of each file, in the order of the bytes of their paths. */
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
    throw unusable(keyFile, error, "Sign with it without --new-key, or name another file.");
  }
  return privateKey;
}

async function readKey(keyFile: string): Promise<KeyObject> {
  try {
    const key = createPrivateKey(await readFile(keyFile));
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch (error) {
    throw unusable(keyFile, error, "It is an Ed25519 key in PEM; --new-key makes one.");
  }
  throw new Problem(`${keyFile} is no Ed25519 key.\nMake one with --new-key.`);
}

function unusable(keyFile: string, error: unknown, hint: string): unknown {
  return error instanceof Error ? new Problem(`${keyFile} cannot be used: ${error.message}\n${hint}`) : error;
}
