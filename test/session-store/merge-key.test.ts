import { expect, test } from "vitest";
import { mergeKeyOf } from "../../src/session-store/admission.ts";
import type { RunInput } from "../../src/session-store/run-input.ts";

const mergeKey = (more: Partial<RunInput> = {}) => mergeKeyOf({ text: "x", timeoutSeconds: 0, ...more }, null);

test("instructions of a run are part of its merge key, also when they differ in one letter", () => {
  const contexts = [undefined, "Answer in French.", "Answer in french.", "Answer in French. ", "French. Answer in"];
  const talks = contexts.map((extraContext) => mergeKey(extraContext === undefined ? {} : { extraContext }));
  expect(new Set(talks).size).toBe(contexts.length);
  expect(mergeKey({ extraContext: "Answer in French.", text: "y" })).toBe(talks[1]);
});

test("a merge key without instructions keeps its form, and one with long instructions stays short", () => {
  expect(mergeKey()).toBe('[null,false,"",""]');
  expect(mergeKey({ extraContext: "" })).toBe(mergeKey());
  expect(mergeKey({ extraContext: "x".repeat(100_000) }).length).toBeLessThan(40);
});
