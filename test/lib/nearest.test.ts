import { expect, test } from "vitest";
import { nearestOf } from "../../src/lib/nearest.ts";

const NAMES = ["configuration", "configuration-reference", "models", "memory", "zh/getting-started"];

test("a slip of the pen is near, and so is a part of a name", () => {
  expect(nearestOf("Configuratoin", NAMES)).toEqual(["configuration"]);
  expect(nearestOf("config", NAMES)).toEqual(["configuration", "configuration-reference"]);
  expect(nearestOf("model", NAMES)).toEqual(["models"]);
  expect(nearestOf("getting-started", NAMES)).toEqual(["zh/getting-started"]);
});

test("what is like nothing is near nothing", () => {
  expect(nearestOf("telescope", NAMES)).toEqual([]);
  expect(nearestOf("", NAMES)).toEqual([]);
});

test("a word that is longer than any name is near nothing, and costs nothing to look at", () => {
  expect(nearestOf(`${"x".repeat(20_000)} models`, NAMES)).toEqual([]);
});
