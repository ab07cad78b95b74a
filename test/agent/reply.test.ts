import { describe, expect, test } from "vitest";
import { type FinalReply, repeats, replyTexts } from "../../src/agent/reply.ts";

const say = (more: Partial<FinalReply>) =>
  replyTexts({ reasoning: "", texts: [], sent: [], partlySent: false, failure: () => undefined, ...more });
const failure = () => ({ tool: "read", error: "notes.md is not there.\nLook with ls." });

describe("the final reply of a run", () => {
  test("is the reasoning, then the answer, then the model's error", () => {
    expect(say({ reasoning: "First.\n\nThen.", texts: ["Half an ans"], error: "It hung up." })).toEqual([
      "Reasoning:\n\n> First.\n>\n> Then.",
      "Half an ans",
      "The model did not answer: It hung up.",
    ]);
  });

  test("is empty if the model answered with the silent token, also with reasoning", () => {
    expect(say({ reasoning: "Nobody asked me.", texts: ["NO_REPLY"] })).toEqual([]);
  });

  test("leaves out what the message tool sent to the same conversation", () => {
    const sent = ["**Your train** leaves at 9:41 from platform 4."];
    expect(say({ texts: ["Your train leaves at 9:41 from platform 4"], sent })).toEqual([]);
    expect(say({ texts: ["It leaves at 9:41, and it rains."], sent })).toHaveLength(1);
  });

  test("names a failed tool and the first line of its error if there is nothing else to say", () => {
    expect(say({ failure })).toEqual(["⚠️ `read` failed: notes.md is not there."]);
    expect(say({ failure, texts: ["NO_REPLY"] })).toHaveLength(1);
  });

  test("does not mention a failed tool if something was sent", () => {
    expect(say({ failure, sent: ["Look at this."] })).toEqual([]);
    expect(say({ failure, partlySent: true })).toEqual([]);
    expect(say({ failure, texts: ["It was not there."] })).toEqual(["It was not there."]);
  });

  test("shortens long reasoning and long errors", () => {
    const [thought] = say({ reasoning: "🦞".repeat(5000), texts: ["Yes."] });
    expect(thought?.length).toBeLessThan(3100);
    expect(thought?.isWellFormed()).toBe(true);
    expect(say({ failure: () => ({ tool: "x", error: "e".repeat(5000) }) })[0]?.length).toBeLessThan(300);
  });
});

describe("a repeated text", () => {
  test.each([
    ["Done.", "done"],
    ["I told   them:\n**all is well** now", "I told them: all is well now."],
    ["second half of it", "The first half, and the second half of it."],
    ["会议改到下午三点,地点不变。", "会议改到下午三点,地点不变"],
  ])("%j repeats %j", (text, sent) => {
    expect(repeats(text, [sent])).toBe(true);
  });

  test.each([
    ["Done", "All is done and well"],
    ["All is well. By the way, your other meeting was moved to Thursday.", "All is well."],
    ["Sent.", "Hello Bob"],
  ])("%j does not repeat %j", (text, sent) => {
    expect(repeats(text, [sent])).toBe(false);
  });
});

test("a long row of dots is compared in linear time", () => {
  const dots = `${".".repeat(200_000)}1`;
  expect(repeats(dots, ["Something else"])).toBe(false);
});
