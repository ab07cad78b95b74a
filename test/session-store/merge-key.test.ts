import { expect, test } from "vitest";
import { mergeKeyOf } from "../../src/session-store/merge-key.ts";
import type { RunInput } from "../../src/session-store/run.ts";

const mergeKey = (more: Partial<RunInput> = {}) => mergeKeyOf({ text: "x", timeoutSeconds: 0, ...more }, null);

test("what is said to the model for one run only tells talks apart, also where it differs in a letter", () => {
  const contexts = [undefined, "Answer in French.", "Answer in french.", "Answer in French. ", "French. Answer in"];
  const talks = contexts.map((extraContext) => mergeKey(extraContext === undefined ? {} : { extraContext }));
  expect(new Set(talks).size).toBe(contexts.length);
  expect(mergeKey({ extraContext: "Answer in French.", text: "y" })).toBe(talks[1]);
});

test("a talk without instructions is written as it always was, and one with long instructions stays short", () => {
  expect(mergeKey()).toBe('[null,false,"",""]');
  expect(mergeKey({ extraContext: "" })).toBe(mergeKey());
  expect(mergeKey({ extraContext: "x".repeat(100_000) }).length).toBeLessThan(40);
});
