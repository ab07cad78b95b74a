import { joinBytes } from "../../lib/join-bytes.ts";
import { fromHex } from "../../security/hmac.ts";

/**
 * Whether a request is signed with Discord's private key of the application: Ed25519 over the timestamp and the raw
 * body. Discord names no window for the timestamp; an interaction that comes again has the same id and is taken up once.
 * @param publicKey in hexadecimal digits
 * @see https://docs.discord.com/developers/interactions/overview#setting-up-an-endpoint
 */
export async function isSigned(headers: Headers, body: Uint8Array, publicKey: string): Promise<boolean> {
  const timestamp = headers.get("X-Signature-Timestamp");
  const signature = fromHex(headers.get("X-Signature-Ed25519") ?? "");
  const bytes = fromHex(publicKey);
  if (timestamp === null || signature?.length !== 64 || bytes?.length !== 32) return false;
  const message = joinBytes([new TextEncoder().encode(timestamp), body]);
  const key = await crypto.subtle
    .importKey("raw", bytes, { name: "Ed25519" }, false, ["verify"])
    // The digits are of no key.
    .catch(() => undefined);
  if (key === undefined) return false;
  return crypto.subtle.verify({ name: "Ed25519" }, key, signature, message);
}
