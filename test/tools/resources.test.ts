import { expect, test } from "vitest";
import { addressIn } from "../../src/tools/resources.ts";

test("slashes around the path of an address are ignored, in linear time", () => {
  expect(addressIn("docs:///models/")).toEqual(addressIn("docs://models"));
  const slashes = "/".repeat(400_000);
  expect(addressIn(`docs://a${slashes}b`)?.path).toBe(`a${slashes}b`);
});
