import { expect, test } from "vitest";
import type { HistoryMessage } from "../../src/client/wire.ts";
import { NO_USAGE } from "../../src/models/message.ts";
import { turnSources } from "../../src/web/sources.ts";

const ANSWER = says("Forty lamps.");
const LAMPS = { url: "https://example.org/lamps", title: "Lamps" };

test("an answer has the pages that its turn has read, then those that it found, each once", () => {
  const second = { url: "http://example.net/second", title: "" };
  const messages = [result("web_search", [second, LAMPS]), result("web_fetch", [LAMPS]), ANSWER];
  expect(turnSources({ messages })).toEqual([
    { ...LAMPS, host: "example.org" },
    { url: second.url, title: "example.net", host: "example.net" },
  ]);
});

test("only addresses of the web are sources, and a title is one line of visible characters", () => {
  const pages = [
    { url: "javascript:alert(1)", title: "Click" },
    { url: "data:text/html,hi", title: "Click" },
    { url: "not an address", title: "Click" },
    { url: "https://example.org/", title: `<b>a</b>\u202e\n b\u0000${"x".repeat(200)}` },
  ];
  const found = turnSources({ messages: [result("web_search", pages), ANSWER] });
  expect(found).toMatchObject([{ url: "https://example.org/", title: `<b>a</b> b ${"x".repeat(109)}` }]);
});

test("a turn that still works, says nothing or failed to look has no sources", () => {
  const found = result("web_search", [LAMPS]);
  expect(turnSources({ messages: [found] })).toEqual([]);
  expect(turnSources({ messages: [found, says("Let me look.", "tool-calls")] })).toEqual([]);
  expect(turnSources({ messages: [found, says("NO_REPLY")] })).toEqual([]);
  expect(turnSources({ messages: [{ ...found, isError: true } as HistoryMessage, ANSWER] })).toEqual([]);
});

test("no more than eight pages are shown", () => {
  const pages = Array.from({ length: 20 }, (_, n) => ({ url: `https://example.org/${n}`, title: `Page ${n}` }));
  expect(turnSources({ messages: [result("web_search", pages), ANSWER] })).toHaveLength(8);
});

function says(text: string, stop: "stop" | "tool-calls" = "stop"): HistoryMessage {
  const head = { id: "a", at: 0, seq: 3, runId: "run_1", usage: NO_USAGE, model: "offline/rules" };
  return { ...head, role: "assistant", parts: [{ type: "text", text }], stop };
}

function result(tool: string, sources: { url: string; title: string }[]): HistoryMessage {
  const head = { id: tool, at: 0, seq: 2, runId: "run_1", callId: tool, tool, text: "found", isError: false };
  return { ...head, role: "tool", sources };
}
