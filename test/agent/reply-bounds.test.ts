import { expect, test } from "vitest";
import { boundedParts, MAX_REPLY_BYTES } from "../../src/agent/reply-bounds.ts";
import { byteLength } from "../../src/lib/text.ts";
import type { AssistantPart } from "../../src/models/message.ts";

const size = (parts: AssistantPart[]) => byteLength(JSON.stringify(parts));
const call = (callId: string, args = {}) => ({ type: "tool-call", callId, tool: "write", args }) as const;

test("a reply within the limit is stored unchanged", () => {
  const parts: AssistantPart[] = [{ type: "text", text: "x".repeat(900_000), meta: { p: { id: 1 } } }, call("1")];
  expect(boundedParts(parts)).toEqual(parts);
});

test.each(["x", "€", "🦀", "\u0000", '"'])(
  "a too large text of '%s' is cut between characters and says how much is missing",
  (unit) => {
    const [part] = boundedParts([{ type: "text", text: unit.repeat(1_100_000) }]) as { text: string }[];
    const left = Number(/\[(\d+) characters were left out here\.\]$/.exec(part!.text)?.[1]);
    expect(part!.text.isWellFormed()).toBe(true);
    expect(part!.text.lastIndexOf(unit) + unit.length + left).toBe(unit.length * 1_100_000);
    expect(size([part as AssistantPart])).toBeLessThan(MAX_REPLY_BYTES + 200);
  },
);

test("parts before the too large one stay whole, and reasoning that does not fit is dropped", () => {
  const parts: AssistantPart[] = [
    { type: "text", text: "Let me see." },
    { type: "reasoning", text: "r".repeat(2_000_000) },
    call("1", { content: "c".repeat(2_000_000) }),
    call("2", { content: "small" }),
  ];
  const kept = boundedParts(parts);
  expect(kept).toMatchObject([
    { type: "text", text: "Let me see." },
    { type: "tool-call", callId: "1", args: {}, invalidArgs: expect.stringContaining("too much for one reply") },
    { type: "tool-call", callId: "2", args: { content: "small" } },
  ]);
});

test("a reply with too many calls is cut", () => {
  const kept = boundedParts(Array.from({ length: 50_000 }, (_, n) => call(`call_${n}`)));
  expect(kept.length).toBeGreaterThan(1000);
  expect(size(kept)).toBeLessThan(MAX_REPLY_BYTES + 100_000);
});
