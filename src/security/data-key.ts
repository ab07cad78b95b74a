import { fromBase64, toBase64Url } from "../lib/base64.ts";
import { lazy } from "../lib/lazy.ts";

/** The variable with the key: 32 bytes in base64, several separated by commas; the first one encrypts. */
export const DATA_KEY_VARIABLE = "ISOPOD_DATA_KEY";

/** What to do without the key. */
export const DATA_KEY_HINT = `Set ${DATA_KEY_VARIABLE} to 32 random bytes in base64: openssl rand -base64 32 | wrangler secret put ${DATA_KEY_VARIABLE}.`;

const KEY_BYTES = 32;
const IV_BYTES = 12;

/**
 * Encrypts what has to be stored although it is secret: tokens of channels and of OAuth. It also signs links.
 *
 * AES-256-GCM and HMAC-SHA-256 under keys that HKDF derives for each purpose, so that a text that was made for one
 * purpose is worth nothing for another.
 */
export interface DataKey {
  seal(text: string, purpose: string): Promise<string>;
  /** The text; undefined if it was made with another key or for another purpose, or was changed. */
  open(sealed: string, purpose: string): Promise<string | undefined>;
  /** A signature in base64url. */
  sign(text: string, purpose: string): Promise<string>;
  /** Whether a signature is one of this text, in constant time. */
  verify(text: string, signature: string, purpose: string): Promise<boolean>;
}

/**
 * The key of a variable's value.
 * @returns undefined if the variable is not set; "malformed" if it is no list of keys of 32 bytes
 */
export function readDataKey(value: string | undefined): DataKey | "malformed" | undefined {
  const texts = (value ?? "").split(",").flatMap((text) => (text.trim() === "" ? [] : [text.trim()]));
  if (texts.length === 0) return undefined;
  const keys = texts.map((text) => fromBase64(text));
  if (!keys.every((bytes) => bytes !== undefined && bytes.length === KEY_BYTES)) return "malformed";
  const masters = keys.flatMap((bytes) =>
    bytes === undefined ? [] : [lazy(() => crypto.subtle.importKey("raw", bytes, "HKDF", false, ["deriveKey"]))],
  );
  const [first] = masters;
  return first && { ...sealing(first, masters), ...signing(first, masters) };
}

type Master = () => Promise<CryptoKey>;

function sealing(first: Master, all: readonly Master[]): Pick<DataKey, "seal" | "open"> {
  return {
    async seal(text, purpose) {
      const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
      const key = await derived(await first(), purpose, "encrypt");
      const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, new TextEncoder().encode(text));
      return `v1.${toBase64Url(iv)}.${toBase64Url(new Uint8Array(sealed))}`;
    },
    async open(sealed, purpose) {
      const [version, ivText = "", body = ""] = sealed.split(".");
      const [iv, bytes] = [fromBase64(ivText), fromBase64(body)];
      if (version !== "v1" || iv?.length !== IV_BYTES || bytes === undefined) return undefined;
      for (const master of all) {
        const key = await derived(await master(), purpose, "encrypt");
        const opened = await crypto.subtle.decrypt({ name: "AES-GCM", iv }, key, bytes).catch(() => undefined);
        if (opened !== undefined) return new TextDecoder().decode(opened);
      }
      return undefined;
    },
  };
}

function signing(first: Master, all: readonly Master[]): Pick<DataKey, "sign" | "verify"> {
  return {
    async sign(text, purpose) {
      const key = await derived(await first(), purpose, "sign");
      return toBase64Url(new Uint8Array(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(text))));
    },
    async verify(text, signature, purpose) {
      const bytes = fromBase64(signature);
      if (bytes === undefined) return false;
      for (const master of all) {
        const key = await derived(await master(), purpose, "sign");
        if (await crypto.subtle.verify("HMAC", key, bytes, new TextEncoder().encode(text))) return true;
      }
      return false;
    },
  };
}

function derived(master: CryptoKey, purpose: string, use: "encrypt" | "sign"): Promise<CryptoKey> {
  const info = new TextEncoder().encode(`isopod ${use} ${purpose}`);
  const hkdf = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info };
  return use === "encrypt"
    ? crypto.subtle.deriveKey(hkdf, master, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"])
    : crypto.subtle.deriveKey(hkdf, master, { name: "HMAC", hash: "SHA-256", length: 256 }, false, ["sign", "verify"]);
}
