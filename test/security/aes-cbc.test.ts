import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { decryptCbc, encryptCbc } from "../../src/security/aes-cbc.ts";

const key = new Uint8Array(32).fill(3);
const iv = new Uint8Array(16).fill(5);
const text = (bytes: Uint8Array | undefined) => bytes && new TextDecoder().decode(bytes);

test("a published text of a platform is decrypted", async () => {
  const digest = new Uint8Array(createHash("sha256").update("test key").digest());
  const bytes = new Uint8Array(Buffer.from("P37w+VZImNgPEO1RBhJ6RtKl7n6zymIbEG1pReEzghk=", "base64"));
  expect(text(await decryptCbc(digest, bytes.slice(0, 16), bytes.slice(16)))).toBe("hello world");
});

test("what was encrypted is decrypted, whatever its length and padding", async () => {
  for (const paddedTo of [16, 32]) {
    for (const length of [0, 1, 15, 16, 17, 31, 32, 33]) {
      const sealed = await encryptCbc(key, iv, new TextEncoder().encode("x".repeat(length)), paddedTo);
      expect(sealed.length % paddedTo).toBe(0);
      expect(text(await decryptCbc(key, iv, sealed, paddedTo))).toBe("x".repeat(length));
    }
  }
});

test("what was not encrypted so is nothing, and never an error", async () => {
  const sealed = await encryptCbc(key, iv, new TextEncoder().encode("x"), 32);
  expect(await decryptCbc(key, iv, sealed, 16)).toBeUndefined();
  expect(await decryptCbc(key, iv, sealed.slice(0, 15))).toBeUndefined();
  expect(await decryptCbc(key, iv, new Uint8Array())).toBeUndefined();
  expect(await decryptCbc(key.slice(1), iv, sealed)).toBeUndefined();
  expect(await decryptCbc(new Uint8Array(32), iv, sealed, 32)).toBeUndefined();
});
