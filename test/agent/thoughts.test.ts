import { expect, test } from "vitest";
import { createThoughtSplitter, withoutThoughts } from "../../src/agent/thoughts.ts";

test.each([
  ["<think>They want a yes.</think>\n\nYes.", "\n\nYes.", "They want a yes."],
  ["Well. <THINKING>Hm.</THINKING>Yes.", "Well. Yes.", "Hm."],
  ["Half <think>and never", "Half ", "and never"],
  ["All of it was thought.</think> Yes.", "All of it was thought. Yes.", ""],
  ["<think>a</think>1<think>b</think>2", "12", "ab"],
  ["3 < 4 <thin> <b>", "3 < 4 <thin> <b>", ""],
])("of %j people read %j", (text, visible, thought) => {
  expect(withoutThoughts(text)).toEqual({ visible, thought });
});

test.each(["Put it into `<think>` and `</think>`.", "```xml\n<think>\n</think>\n```\nDone.", "~~~\n<think>\n~~~"])(
  "a tag in code is part of the text: %j",
  (text) => {
    expect(withoutThoughts(text)).toEqual({ visible: text, thought: "" });
  },
);

test("it comes out the same one character at a time", () => {
  const text = "A <think>b <i>c</think> d `<think>` <thinking>e</thinking>\n```\n<think>\n```\n<think>f";
  const splitter = createThoughtSplitter();
  const pieces = [...[...text].map((character) => splitter.push(character)), splitter.end()];
  const whole = withoutThoughts(text);
  expect(pieces.map(({ visible }) => visible).join("")).toBe(whole.visible);
  expect(pieces.map(({ thought }) => thought).join("")).toBe(whole.thought);
  expect(whole.thought).toBe("b <i>cef");
});

test("a long line of tags in code is gone through once", () => {
  const text = `\`${"<think>".repeat(100_000)}\``;
  expect(withoutThoughts(text)).toEqual({ visible: text, thought: "" });
});
