const encoder = new TextEncoder();

type Hash = "SHA-1" | "SHA-256";
type Data = string | Uint8Array;

/** The HMAC of bytes or a text under a key. */
export async function hmac(hash: Hash, key: Data, data: Data): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.sign("HMAC", await importKey(hash, key, "sign"), asBytes(data)));
}

/** Whether a signature is the HMAC of bytes or a text under a key; in constant time. False for an empty key. */
export async function isHmac(hash: Hash, key: Data, data: Data, signature: Uint8Array | undefined): Promise<boolean> {
  if (signature === undefined || key.length === 0) return false;
  return crypto.subtle.verify("HMAC", await importKey(hash, key, "verify"), asBytes(signature), asBytes(data));
}

function importKey(hash: Hash, key: Data, use: "sign" | "verify"): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", asBytes(key), { name: "HMAC", hash }, false, [use]);
}

/** The platform's types leave out that bytes may be in shared memory, where none of ours are. */
function asBytes(data: Data): BufferSource {
  return typeof data === "string" ? encoder.encode(data) : (data as Uint8Array<ArrayBuffer>);
}

/** Bytes as lower-case hex digits. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The bytes of a text of hex digits; undefined for any other text. */
export function fromHex(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^(?:[\da-f]{2})*$/i.test(text)) return undefined;
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
