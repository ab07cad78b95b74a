import { base32 } from "./ids.ts";

/** 128 bits of a text's SHA-256 in base32, 26 characters: enough to tell texts apart, also those made to be alike. */
export async function shortDigest(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return base32(new Uint8Array(digest, 0, 16));
}
