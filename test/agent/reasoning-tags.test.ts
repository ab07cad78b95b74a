import { describe, expect, test } from "vitest";
import { createReasoningSplitter, type ReasoningOptions, type ReplyPiece } from "../../src/agent/reasoning-tags.ts";

/** The visible text and the reasoning of a text, given its deltas. */
function split(pieces: Iterable<string>, options: ReasoningOptions = {}) {
  const splitter = createReasoningSplitter(options);
  const found = [...[...pieces].flatMap((piece) => splitter.push(piece)), ...splitter.end()];
  const of = (type: ReplyPiece["type"]) => found.flatMap((piece) => (piece.type === type ? [piece.text] : [])).join("");
  return { visible: of("text"), thought: of("reasoning") };
}

describe("reasoning in tags", () => {
  test.each([
    ["<think>They want a yes.</think>\n\nYes.", "\n\nYes.", "They want a yes."],
    ["Well. <THINKING>Hm.</THINKING>Yes.", "Well. Yes.", "Hm."],
    ["<thought>Hm.</thought>Yes.", "Yes.", "Hm."],
    ['<think lang="en">Hm.</think >Yes.', "Yes.", "Hm."],
    ["Half <think>and never", "Half ", "and never"],
    ["All of it was thought.</think> Yes.", "All of it was thought. Yes.", ""],
    ["<think>a</think>1<think>b</think>2", "12", "ab"],
    ["3 < 4 <thin> <b> <thinker>", "3 < 4 <thin> <b> <thinker>", ""],
    ["<think>a<think>b</think>c</think>d", "d", "abc"],
    ["<think>I use a <think> tag.</think> Yes.", " Yes.", "I use a  tag."],
    ["<think>Hm. <final>Yes.</final>", "Yes.", "Hm. "],
    ["<final>Yes.</final> And more.", "Yes. And more.", ""],
  ])("leaves of %j the text %j", (text, visible, thought) => {
    expect(split([text])).toEqual({ visible, thought });
    expect(split(text)).toEqual({ visible, thought });
  });

  test.each(["Put it into `<think>` and `</think>`.", "```xml\n<think>\n</think>\n```\nDone.", "~~~\n<final>\n~~~"])(
    "is plain text inside code: %j",
    (text) => {
      expect(split([text])).toEqual({ visible: text, thought: "" });
      expect(split(text)).toEqual({ visible: text, thought: "" });
    },
  );

  test("is found in deltas of one character, too", () => {
    const text = "A <think>b <i>c</think> d `<think>` <thinking>e</thinking>\n```\n<think>\n```\n<think>f";
    expect(split(text)).toEqual(split([text]));
    expect(split(text).thought).toBe("b <i>cef");
  });

  test("is found in linear time, also in a long line of code", () => {
    const text = `\`${"<think>".repeat(100_000)}\``;
    expect(split([text])).toEqual({ visible: text, thought: "" });
  });

  test("keeps its place among the visible text", () => {
    const splitter = createReasoningSplitter();
    expect(splitter.push("Well. <think>Hm.</think> Yes.")).toEqual([
      { type: "text", text: "Well. " },
      { type: "reasoning", text: "Hm." },
      { type: "text", text: " Yes." },
    ]);
  });
});

describe("a model that puts its visible text into <final>", () => {
  test.each([
    ["<think>Hm.</think><final>Yes.</final>", "Yes.", "Hm."],
    ["I look at it first.\n<final>Yes.</final> That was it.", "Yes.", "I look at it first.\n That was it."],
    ["<think>Hm. <final>Yes", "Yes", "Hm. "],
    ["<think>Hm.</think>It forgot the tag.", "It forgot the tag.", "Hm."],
    ["Write `<final>` around it.", "Write `", "` around it."],
  ])("of %j shows %j", (text, visible, thought) => {
    const options = { onlyFinal: true };
    expect(split([text], options).visible).toBe(split(text, options).visible);
    if (text.includes("`")) return;
    expect(split(text, options)).toEqual({ visible, thought });
  });
});
