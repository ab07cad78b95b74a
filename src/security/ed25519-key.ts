const RAW_BYTES = 32;
/** The SPKI prefix of a 32-byte key (RFC 8410). */
const SPKI_START = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];
const PEM = /^-----BEGIN PUBLIC KEY-----([\s\S]+)-----END PUBLIC KEY-----$/;

/** The 32 bytes of an Ed25519 public key in base64 (raw or SPKI) or PEM; undefined if it is none of these. */
export function ed25519KeyBytes(written: string): Uint8Array<ArrayBuffer> | undefined {
  const text = written.trim();
  const bytes = fromBase64((PEM.exec(text)?.[1] ?? text).replace(/\s+/g, ""));
  if (bytes?.length === RAW_BYTES) return bytes;
  const isSpki =
    bytes?.length === SPKI_START.length + RAW_BYTES && SPKI_START.every((byte, index) => bytes[index] === byte);
  return isSpki ? bytes?.slice(SPKI_START.length) : undefined;
}

/** Decodes base64 or base64url; undefined if it is invalid. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  const standard = text.replaceAll("-", "+").replaceAll("_", "/");
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(standard) || standard.replace(/=+$/, "").length % 4 === 1) return undefined;
  return Uint8Array.from(atob(standard.replace(/=+$/, "")), (character) => character.charCodeAt(0));
}
