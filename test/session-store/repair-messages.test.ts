import { describe, expect, test } from "vitest";
import { UNKNOWN_EFFECT } from "../../src/agent/run-tools.ts";
import type { AssistantMessage, Message, ModelError } from "../../src/models/message.ts";
import { NO_USAGE } from "../../src/models/message.ts";
import { repairMessages } from "../../src/session-store/repair-messages.ts";

const said = (text: string): Message => ({ role: "user", id: `msg_${text}`, at: 1, text });
const answer = (text: string, callIds: string[] = [], error?: ModelError["kind"]): AssistantMessage => ({
  role: "assistant",
  id: `msg_${text}`,
  at: 2,
  model: "fake/x",
  stop: error === undefined ? "stop" : "error",
  usage: NO_USAGE,
  parts: [
    ...(text === "" ? [] : [{ type: "text", text } as const]),
    ...callIds.map((callId) => ({ type: "tool-call", callId, tool: "ls", args: {} }) as const),
  ],
  ...(error && { error: { kind: error, message: "no" } }),
});
const result = (callId: string, text = "ok"): Message => {
  return { role: "tool", id: `msg_r${callId}`, at: 3, callId, tool: "ls", text, isError: false };
};

/** A conversation in short: who, and what they say or answer. */
function brief(messages: readonly Message[]): string[] {
  return messages.map((message) => {
    if (message.role === "tool") return `tool ${message.callId} ${message.text}`;
    if (message.role === "user") return `user ${message.text}`;
    return `assistant ${message.parts.map((part) => (part.type === "tool-call" ? part.callId : part.text)).join(" ")}`;
  });
}

describe("a reply that broke off", () => {
  const broken: AssistantMessage = { ...answer("half"), stop: "aborted" };

  test("is followed by a word to the model, in the name of who spoke last, where it was asked anew", () => {
    const sender = { id: "42", owner: true };
    const [, , note] = repairMessages([{ ...said("a"), sender } as Message, broken]);
    expect(note).toMatchObject({ role: "user", sender, text: expect.stringMatching(/^\[System\] /) });
    expect(repairMessages([said("a"), broken, answer("rest")])).toHaveLength(4);
  });

  test("stands as it is where somebody said something next", () => {
    const messages = [said("a"), broken, said("b")];
    expect(repairMessages(messages)).toEqual(messages);
  });
});

describe("calls and their results", () => {
  test("that are in pairs stay as they are", () => {
    const messages = [said("a"), answer("b", ["1", "2"]), result("2"), result("1"), answer("c")];
    expect(repairMessages(messages)).toEqual(messages);
  });

  test("of a last reply may still be open, because they are yet to be run", () => {
    const messages = [said("a"), answer("b", ["1", "2"]), result("1")];
    expect(repairMessages(messages)).toEqual(messages);
  });

  test("that were left open before something else was said get their result where it belongs", () => {
    const messages = [answer("b", ["1", "2"]), result("2"), said("c"), answer("d", ["3"]), answer("e")];
    expect(brief(repairMessages(messages))).toEqual([
      "assistant b 1 2",
      "tool 2 ok",
      `tool 1 ${UNKNOWN_EFFECT}`,
      "user c",
      "assistant d 3",
      `tool 3 ${UNKNOWN_EFFECT}`,
      "assistant e",
    ]);
  });

  test("have one result each: a second one, and one that comes too late, is dropped", () => {
    const messages = [
      answer("b", ["1"]),
      result("1"),
      result("1", "again"),
      said("c"),
      result("1", "late"),
      result("9"),
    ];
    expect(brief(repairMessages(messages))).toEqual(["assistant b 1", "tool 1 ok", "user c"]);
  });

  test("may use an id that an earlier reply used, too", () => {
    const messages = [answer("b", ["1"]), result("1"), answer("c", ["1"]), result("1", "anew"), said("d")];
    expect(repairMessages(messages)).toEqual(messages);
  });
});

describe("what a model refused", () => {
  test("is left out, with what came in the same request: all since its last good reply", () => {
    const messages = [said("a"), answer("b"), said("c"), said("d"), answer("", [], "format"), said("e")];
    expect(brief(repairMessages(messages))).toEqual([
      "user a",
      "assistant b",
      expect.stringContaining("left out"),
      expect.stringContaining("left out"),
      "assistant ",
      "user e",
    ]);
  });

  test("takes the calls of that last good reply with it, and so their results, but not its words", () => {
    const messages = [said("a"), answer("look", ["1"]), result("1"), answer("", [], "format"), said("e")];
    expect(brief(repairMessages(messages))).toEqual(["user a", "assistant look", "assistant ", "user e"]);
  });

  test("is left out also where other failures came in between", () => {
    const messages = [said("a"), answer("", [], "timeout"), said("b"), answer("", [], "format"), said("c")];
    expect(brief(repairMessages(messages)).filter((line) => line.includes("left out"))).toHaveLength(2);
  });

  test("for another reason than its form stays: the next try may do well", () => {
    const messages = [said("a"), answer("", [], "overloaded"), said("b")];
    expect(repairMessages(messages)).toEqual(messages);
  });

  test("loses its images, which are often what it was about", () => {
    const images = [{ path: "broken.png", mediaType: "image/png" }];
    const [first] = repairMessages([{ role: "user", id: "m", at: 1, text: "See", images }, answer("", [], "format")]);
    expect(first).not.toHaveProperty("images");
  });
});
