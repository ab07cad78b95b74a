import { expect, test } from "vitest";
import { secretEqual } from "../../src/security/secret-equal.ts";

test("equal secrets of any content compare as equal", async () => {
  expect(await secretEqual("AZaz09_-secret", "AZaz09_-secret")).toBe(true);
  expect(await secretEqual("钥匙 🔑", "钥匙 🔑")).toBe(true);
  expect(await secretEqual("", "")).toBe(true);
});

test("a secret that differs in one letter, its case, or its length is not equal", async () => {
  for (const other of ["AZaz09_-secreT", "AZaz09_-secre", "AZaz09_-secret ", "", "BZaz09_-secret"]) {
    expect(await secretEqual(other, "AZaz09_-secret")).toBe(false);
  }
});

test("it does not matter how many secrets were compared before", async () => {
  for (let at = 0; at < 100; at++) {
    expect(await secretEqual(`secret ${at}`, `secret ${at}`)).toBe(true);
    expect(await secretEqual(`secret ${at}`, `secret ${at % 7}`)).toBe(at < 7);
  }
});
