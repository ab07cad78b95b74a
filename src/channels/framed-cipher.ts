import { fromBase64 } from "../lib/base64.ts";
import { digestOf } from "../lib/digest.ts";
import { decryptCbc, encryptCbc } from "../security/aes-cbc.ts";
import { fromHex } from "../security/hmac.ts";
import { digestEqual } from "../security/secret-equal.ts";

/*
 * The encryption that WeCom and DingTalk share: AES-256-CBC, padded to 32 bytes, over 16 random bytes, the message's
 * length, the message, and whom it is for.
 */

const RANDOM_BYTES = 16;
const LENGTH_BYTES = 4;
const PADDED_TO = 32;

/** An encrypted message, and whom it is for. */
export interface Frame {
  message: string;
  receiver: string;
}

/** Decrypts a message. @param aesKey 43 characters, as the platform shows it. @returns undefined if it is none */
export async function openFrame(aesKey: string, encrypted: string): Promise<Frame | undefined> {
  const [key, bytes] = [keyBytes(aesKey), fromBase64(encrypted)];
  if (key === undefined || bytes === undefined) return undefined;
  const plain = await decryptCbc(key, key.slice(0, 16), bytes, PADDED_TO);
  const start = RANDOM_BYTES + LENGTH_BYTES;
  if (plain === undefined || plain.length < start) return undefined;
  const end = start + new DataView(plain.buffer).getUint32(RANDOM_BYTES);
  if (end > plain.length) return undefined;
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { message: text(plain.subarray(start, end)), receiver: text(plain.subarray(end)) };
}

/** Encrypts a message. @returns base64; undefined for a malformed key */
export async function sealFrame(aesKey: string, { message, receiver }: Frame): Promise<string | undefined> {
  const key = keyBytes(aesKey);
  if (key === undefined) return undefined;
  const [body, to] = [message, receiver].map((text) => new TextEncoder().encode(text));
  if (body === undefined || to === undefined) return undefined;
  const start = RANDOM_BYTES + LENGTH_BYTES;
  const plain = new Uint8Array(start + body.length + to.length);
  crypto.getRandomValues(plain.subarray(0, RANDOM_BYTES));
  new DataView(plain.buffer).setUint32(RANDOM_BYTES, body.length);
  plain.set(body, start);
  plain.set(to, start + body.length);
  const sealed = await encryptCbc(key, key.slice(0, 16), plain, PADDED_TO);
  return btoa(String.fromCharCode(...sealed));
}

/** Whether a key has the form of one. */
export function isAesKey(aesKey: string): boolean {
  return keyBytes(aesKey) !== undefined;
}

function keyBytes(aesKey: string): Uint8Array<ArrayBuffer> | undefined {
  const bytes = fromBase64(`${aesKey}=`);
  return bytes?.length === 32 ? bytes : undefined;
}

/** The signature of an encrypted message: SHA-1 over token, time, nonce and message in the order of their letters. */
export function frameSignature(parts: readonly string[]): Promise<string> {
  return digestOf("SHA-1", new TextEncoder().encode([...parts].sort().join("")));
}

/** Whether a signature is that of these parts, in constant time. */
export async function isFrameSignature(signature: string, parts: readonly string[]): Promise<boolean> {
  const expected = fromHex(await frameSignature(parts));
  return expected !== undefined && digestEqual(fromHex(signature), expected);
}
