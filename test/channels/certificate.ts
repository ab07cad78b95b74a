import { exportSPKI, importJWK, type JWK } from "jose";
import { fromBase64 } from "../../src/lib/base64.ts";

const SEQUENCE = 0x30;
/** SHA-256 with RSA. */
const ALGORITHM = der(SEQUENCE, [0x06, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b], [0x05, 0]);

/** A certificate that contains a public key, and else as little as one may. Nobody has signed it. */
export async function certificateOf(jwk: JWK): Promise<string> {
  const pem = await exportSPKI((await importJWK({ ...jwk, ext: true }, "RS256")) as CryptoKey);
  const spki = fromBase64(pem.replace(/-----[^-]+-----|\s/g, ""));
  if (spki === undefined) throw new Error("no key");
  const time = [0x17, 13, ...new TextEncoder().encode("260101000000Z")];
  const content = der(
    SEQUENCE,
    der(0xa0, [0x02, 1, 2]),
    [0x02, 1, 1],
    ALGORITHM,
    der(SEQUENCE),
    der(SEQUENCE, time, time),
    der(SEQUENCE),
    [...spki],
  );
  const bytes = der(SEQUENCE, content, ALGORITHM, [0x03, 2, 0, 0]);
  const text = btoa(String.fromCharCode(...bytes));
  return `-----BEGIN CERTIFICATE-----\n${text.match(/.{1,64}/g)?.join("\n")}\n-----END CERTIFICATE-----\n`;
}

function der(tag: number, ...parts: number[][]): number[] {
  const content = parts.flat();
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return [tag, ...size, ...content];
}
