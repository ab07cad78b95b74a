import { expect, test } from "vitest";
import { nearestNames } from "../../src/lib/nearest.ts";

const NAMES = ["configuration", "configuration-reference", "models", "memory", "zh/getting-started"];

test("a slip of the pen is near, and so is a part of a name", () => {
  expect(nearestNames("Configuratoin", NAMES)).toEqual(["configuration"]);
  expect(nearestNames("config", NAMES)).toEqual(["configuration", "configuration-reference"]);
  expect(nearestNames("model", NAMES)).toEqual(["models"]);
  expect(nearestNames("getting-started", NAMES)).toEqual(["zh/getting-started"]);
});

test("what is like nothing is near nothing", () => {
  expect(nearestNames("telescope", NAMES)).toEqual([]);
  expect(nearestNames("", NAMES)).toEqual([]);
});

test("a word that is longer than any name is near nothing, and costs nothing to look at", () => {
  expect(nearestNames(`${"x".repeat(20_000)} models`, NAMES)).toEqual([]);
});
