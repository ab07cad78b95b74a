import { expect, test } from "vitest";
import { readDataKey } from "../../src/security/data-key.ts";

const OLD = Buffer.alloc(32, "old").toString("base64");
const NEW = Buffer.alloc(32, "new").toString("base64");

function keyOf(value: string) {
  const key = readDataKey(value);
  if (key === undefined || key === "malformed") throw new Error("expected a key");
  return key;
}

test("what is sealed for one purpose opens for that purpose alone", async () => {
  const key = keyOf(OLD);
  const sealed = await key.seal("令牌 token", "reply token of discord/default");
  expect(sealed).not.toContain("token");
  expect(await key.open(sealed, "reply token of discord/default")).toBe("令牌 token");
  expect(await key.open(sealed, "reply token of discord/other")).toBeUndefined();
});

test("the same text is sealed differently each time, and a changed one does not open", async () => {
  const key = keyOf(OLD);
  const [one, other] = [await key.seal("x", "p"), await key.seal("x", "p")];
  expect(one).not.toBe(other);
  // Not the last character: bits of it are beyond the last byte.
  const letter = one.at(-4) === "A" ? "B" : "A";
  for (const changed of [
    `${one.slice(0, -4)}${letter}${one.slice(-3)}`,
    one.replace("v1.", "v2."),
    one.slice(3),
    "",
    "v1..",
    "v1.%.%",
  ]) {
    expect(await key.open(changed, "p"), changed).toBeUndefined();
  }
});

test("after a change of the key what the older one sealed and signed still counts, and new things are the new key's", async () => {
  const [old, both, fresh] = [keyOf(OLD), keyOf(`${NEW}, ${OLD}`), keyOf(NEW)];
  const [sealed, signature] = [await old.seal("x", "p"), await old.sign("x", "p")];
  expect(await both.open(sealed, "p")).toBe("x");
  expect(await both.verify("x", signature, "p")).toBe(true);
  expect(await fresh.open(sealed, "p")).toBeUndefined();
  expect(await fresh.verify("x", signature, "p")).toBe(false);
  expect(await fresh.open(await both.seal("y", "p"), "p")).toBe("y");
});

test("a signature is of one text and one purpose", async () => {
  const key = keyOf(OLD);
  const signature = await key.sign("a", "links");
  expect(await key.verify("a", signature, "links")).toBe(true);
  expect(await key.verify("b", signature, "links")).toBe(false);
  expect(await key.verify("a", signature, "other")).toBe(false);
  expect(await key.verify("a", "", "links")).toBe(false);
});

test("a key that is not set is none, and one that is not 32 bytes is malformed", () => {
  expect(readDataKey(undefined)).toBeUndefined();
  expect(readDataKey(" , ")).toBeUndefined();
  expect(readDataKey("short")).toBe("malformed");
  expect(readDataKey(`${OLD},hello world`)).toBe("malformed");
});
