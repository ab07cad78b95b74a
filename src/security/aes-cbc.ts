/** The block of AES, in bytes. */
const BLOCK = 16;

/**
 * Decrypts AES-256-CBC, in which some platforms encrypt what they send. It proves nothing: check their signature first.
 * @param paddedTo the block that PKCS#7 pads to, in bytes: 16, or for some platforms 32
 * @returns undefined for what was not encrypted so
 */
export async function decryptCbc(
  key: Uint8Array<ArrayBuffer>,
  iv: Uint8Array<ArrayBuffer>,
  encrypted: Uint8Array<ArrayBuffer>,
  paddedTo = BLOCK,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (key.length !== 32 || iv.length !== BLOCK || encrypted.length === 0 || encrypted.length % BLOCK !== 0) {
    return undefined;
  }
  const aes = await crypto.subtle.importKey("raw", key, "AES-CBC", false, ["encrypt", "decrypt"]);
  // WebCrypto takes off padding of at most 16 bytes: it gets a block of nothing but padding, and ours stays.
  const last = encrypted.slice(-BLOCK);
  const padding = await crypto.subtle.encrypt({ name: "AES-CBC", iv: last }, aes, new Uint8Array());
  const whole = new Uint8Array(encrypted.length + BLOCK);
  whole.set(encrypted);
  whole.set(new Uint8Array(padding), encrypted.length);
  const padded = new Uint8Array(await crypto.subtle.decrypt({ name: "AES-CBC", iv }, aes, whole));
  const count = padded.at(-1) ?? 0;
  const isPadded = count > 0 && count <= paddedTo && padded.slice(-count).every((byte) => byte === count);
  return isPadded ? padded.slice(0, -count) : undefined;
}

/** Encrypts as `decryptCbc` decrypts. */
export async function encryptCbc(
  key: Uint8Array<ArrayBuffer>,
  iv: Uint8Array<ArrayBuffer>,
  plain: Uint8Array,
  paddedTo = BLOCK,
): Promise<Uint8Array<ArrayBuffer>> {
  const count = paddedTo - (plain.length % paddedTo);
  const padded = new Uint8Array(plain.length + count).fill(count);
  padded.set(plain);
  const aes = await crypto.subtle.importKey("raw", key, "AES-CBC", false, ["encrypt"]);
  const encrypted = new Uint8Array(await crypto.subtle.encrypt({ name: "AES-CBC", iv }, aes, padded));
  // Without the block of padding that WebCrypto adds.
  return encrypted.slice(0, padded.length);
}
