import { expect, test } from "vitest";
import { createReplyParser, parseReply } from "../../src/agent/reply-parser.ts";
import type { AssistantPart } from "../../src/models/message.ts";

test("a reply text without tags stays unchanged", () => {
  const parts: AssistantPart[] = [{ type: "text", text: "Yes.", meta: { openai: { itemId: "1" } } }];
  expect(parseReply(parts)).toEqual({ parts, directives: {} });
});

test("reasoning and text keep their order, and the first text part has the raw text", () => {
  const raw = "[[reply_to_current]] Well. <think>Hm.</think>Yes.";
  expect(parseReply([{ type: "text", text: raw }])).toEqual({
    parts: [
      { type: "text", text: "Well. ", raw },
      { type: "reasoning", text: "Hm.", inline: true },
      { type: "text", text: "Yes.", raw: "" },
    ],
    directives: { replyTo: "current" },
  });
});

test("a text of tags alone keeps its raw text and is empty", () => {
  const raw = "MEDIA:a.png";
  expect(parseReply([{ type: "text", text: raw }])).toEqual({
    parts: [{ type: "text", text: "", raw }],
    directives: { files: ["a.png"] },
  });
});

test("streamed and finished replies are parsed alike, also over several text parts", () => {
  const texts = ["[[reply_to_", "current]] A <think>b</th", "ink> c\nMEDIA:x.png\n", "d [[", "e <"];
  const hearing = createReplyParser();
  const pieces = [...texts.flatMap((text) => hearing.push(text)), ...hearing.end()];
  const { parts, directives } = parseReply(texts.map((text) => ({ type: "text", text })));
  const of = (type: string, all: readonly { type: string; text?: string }[]) =>
    all.flatMap((one) => (one.type === type ? [one.text] : [])).join("");
  for (const type of ["text", "reasoning"]) expect(of(type, parts)).toBe(of(type, pieces));
  expect(of("text", parts)).toBe("A  c\nd [[e <");
  expect(directives).toEqual(hearing.directives);
  expect(parts.map((part) => ("raw" in part ? part.raw : undefined)).filter(Boolean)).toEqual([
    "[[reply_to_",
    "current]] A <think>b</th",
    "ink> c\nMEDIA:x.png\n",
    "d [[",
    "e <",
  ]);
});
