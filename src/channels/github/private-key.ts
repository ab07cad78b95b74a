import { fromBase64, toBase64 } from "../../lib/base64.ts";

/** PKCS#8's version, and the algorithm RSA. */
const VERSION = [0x02, 0x01, 0x00];
const RSA = [0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00];
const SEQUENCE = 0x30;
const OCTETS = 0x04;

/**
 * A private key as PKCS#8, the only form that Web Crypto reads. GitHub gives keys as PKCS#1, which is the part of it
 * without the name of the algorithm.
 */
export function asPkcs8(pem: string): string {
  const [, content = ""] = /-----BEGIN RSA PRIVATE KEY-----([\w+/=\s]+)-----END/.exec(pem) ?? [];
  const key = fromBase64(content.replace(/\s/g, ""));
  if (key === undefined) return pem;
  const wrapped = der(SEQUENCE, [...VERSION, ...RSA, ...der(OCTETS, [...key])]);
  return `-----BEGIN PRIVATE KEY-----\n${toBase64(Uint8Array.from(wrapped))}\n-----END PRIVATE KEY-----`;
}

/** A value in DER: its tag, its length in as few bytes as it needs, its content. */
function der(tag: number, content: number[]): number[] {
  const { length } = content;
  if (length < 0x80) return [tag, length, ...content];
  if (length < 0x100) return [tag, 0x81, length, ...content];
  return [tag, 0x82, length >> 8, length & 0xff, ...content];
}
