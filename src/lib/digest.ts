import { base32 } from "./ids.ts";

/** The lower-case hex digest of bytes. MD5 is R2's etag of an object that was stored in one part. */
export async function digestOf(algorithm: "MD5" | "SHA-1" | "SHA-256", bytes: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest(algorithm, bytes as Uint8Array<ArrayBuffer>));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** 128 bits of a text's SHA-256 in base32, 26 characters: collision-resistant also against texts made to collide. */
export async function shortDigest(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return base32(new Uint8Array(digest, 0, 16));
}
