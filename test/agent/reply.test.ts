import { describe, expect, test } from "vitest";
import { type FinalReply, repeats, replyTexts } from "../../src/agent/reply.ts";

const say = (more: Partial<FinalReply>) =>
  replyTexts({ reasoning: "", texts: [], sent: [], partlySent: false, failure: () => undefined, ...more });
const failure = () => ({ tool: "read", error: "notes.md is not there.\nLook with ls." });

describe("what a run says at its end", () => {
  test("is the reasoning, then the answer, then what went wrong with the model", () => {
    expect(say({ reasoning: "First.\n\nThen.", texts: ["Half an ans"], error: "It hung up." })).toEqual([
      "Reasoning:\n\n> First.\n>\n> Then.",
      "Half an ans",
      "The model did not answer: It hung up.",
    ]);
  });

  test("is nothing where the model has nothing to say, whatever it thought", () => {
    expect(say({ reasoning: "Nobody asked me.", texts: ["NO_REPLY"] })).toEqual([]);
  });

  test("leaves out what the message tool has sent to the same people", () => {
    const sent = ["**Your train** leaves at 9:41 from platform 4."];
    expect(say({ texts: ["Your train leaves at 9:41 from platform 4"], sent })).toEqual([]);
    expect(say({ texts: ["It leaves at 9:41, and it rains."], sent })).toHaveLength(1);
  });

  test("is a failed tool where nothing else is left, by name and with the first line of its error", () => {
    expect(say({ failure })).toEqual(["⚠️ `read` failed: notes.md is not there."]);
    expect(say({ failure, texts: ["NO_REPLY"] })).toHaveLength(1);
  });

  test("is nothing of a failed tool where people have been sent something", () => {
    expect(say({ failure, sent: ["Look at this."] })).toEqual([]);
    expect(say({ failure, partlySent: true })).toEqual([]);
    expect(say({ failure, texts: ["It was not there."] })).toEqual(["It was not there."]);
  });

  test("shows no more of long reasoning and of a long error than people read", () => {
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
  ])("%j says nothing that %j did not", (text, sent) => {
    expect(repeats(text, [sent])).toBe(true);
  });

  test.each([
    ["Done", "All is done and well"],
    ["All is well. By the way, your other meeting was moved to Thursday.", "All is well."],
    ["Sent.", "Hello Bob"],
  ])("%j says something that %j did not", (text, sent) => {
    expect(repeats(text, [sent])).toBe(false);
  });
});

test("a long row of dots is compared as fast as words are", () => {
  const dots = `${".".repeat(200_000)}1`;
  expect(repeats(dots, ["Something else"])).toBe(false);
});
