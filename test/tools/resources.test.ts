import { expect, test } from "vitest";
import { addressIn } from "../../src/tools/resources.ts";

test("an address is the same with slashes around its path, however many are in it", () => {
  expect(addressIn("docs:///models/")).toEqual(addressIn("docs://models"));
  const slashes = "/".repeat(400_000);
  expect(addressIn(`docs://a${slashes}b`)?.path).toBe(`a${slashes}b`);
});
