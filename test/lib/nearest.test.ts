import { expect, test } from "vitest";
import { nearestNames } from "../../src/lib/nearest.ts";

const NAMES = ["configuration", "configuration-reference", "models", "memory", "zh/getting-started"];

test("a typo and a part of a name are near it", () => {
  expect(nearestNames("Configuratoin", NAMES)).toEqual(["configuration"]);
  expect(nearestNames("config", NAMES)).toEqual(["configuration", "configuration-reference"]);
  expect(nearestNames("model", NAMES)).toEqual(["models"]);
  expect(nearestNames("getting-started", NAMES)).toEqual(["zh/getting-started"]);
});

test("an unrelated word has no near names", () => {
  expect(nearestNames("telescope", NAMES)).toEqual([]);
  expect(nearestNames("", NAMES)).toEqual([]);
});

test("a word longer than any name has no near names, without a comparison", () => {
  expect(nearestNames(`${"x".repeat(20_000)} models`, NAMES)).toEqual([]);
});
