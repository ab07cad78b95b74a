import { describe, expect, test } from "vitest";
import type { Model } from "../../src/models/model.ts";
import {
  asking,
  endOf,
  eventsOf,
  joined,
  type Lab,
  modelSaid,
  openLab,
  partsText,
  replyOf,
  toolSaid,
  userSays,
} from "./model-lab.ts";

/** Creates the model under test for a provider's address; a model without a provider ignores it. */
export type ModelFactory = (baseUrl: string) => Model;

const LONG_AGO = AbortSignal.abort();

/** The contract of every model. */
export function modelContract(name: string, make: ModelFactory): void {
  describe(`${name} keeps the contract of a model`, () => {
    test("streams deltas that join to the parts of its single end event", async () => {
      const lab = openLab();
      await lab.script({
        reasoning: "Let me think about that.",
        text: "Here is a rather long answer, in several pieces.",
        gapMs: 25,
      });
      const events = await eventsOf(make(lab.baseUrl), asking({ thinking: "low" }));
      const reply = endOf(events);
      expect(events.filter(({ type }) => type === "end")).toHaveLength(1);
      expect(joined(events, "text")).not.toBe("");
      expect(joined(events, "text")).toBe(partsText(reply, "text"));
      expect(joined(events, "reasoning")).toBe(partsText(reply, "reasoning"));
      expect(events.filter(({ type }) => type === "text").length).toBeGreaterThan(1);
      expect(reply.stop).toBe("stop");
      expect(reply.error).toBeUndefined();
      expect(reply.usage.input).toBeGreaterThan(0);
      expect(reply.usage.output).toBeGreaterThan(0);
    });

    test("ends as aborted, without output, if the signal fired before the call", async () => {
      const lab = openLab();
      const events = await eventsOf(make(lab.baseUrl), asking(), LONG_AGO);
      expect(events).toMatchObject([{ type: "end", reply: { stop: "aborted", parts: [] } }]);
    });

    test("ends as aborted during an answer, and keeps its text", async () => {
      const lab = openLab();
      await lab.script({ text: "One piece, and another piece, and another one.", gapMs: 30 });
      const abort = new AbortController();
      const events = [];
      for await (const event of make(lab.baseUrl).stream(asking(), abort.signal)) {
        events.push(event);
        if (event.type === "text") abort.abort();
      }
      expect(events).toHaveLength(2);
      expect(endOf(events).stop).toBe("aborted");
      expect(partsText(endOf(events), "text")).toBe(joined(events, "text"));
    });

    test("allows its reader to leave during an answer", async () => {
      const lab = openLab();
      await lab.script({ text: "One piece, and another piece, and another one.", gapMs: 30 });
      for await (const event of make(lab.baseUrl).stream(asking(), new AbortController().signal)) {
        expect(event.type).toBe("text");
        break;
      }
    });

    test("answers concurrent calls independently", async () => {
      const lab = openLab();
      const model = make(lab.baseUrl);
      const alone = await replyOf(model, asking());
      const together = await Promise.all(Array.from({ length: 5 }, () => replyOf(model, asking())));
      for (const reply of together) expect(partsText(reply, "text")).toBe(partsText(alone, "text"));
    });

    test("has limits", () => {
      const model = make("http://127.0.0.1:9/v1");
      expect(model.ref).toMatch(/^[^/]+\/.+/);
      expect(model.contextWindow).toBeGreaterThan(model.maxOutputTokens);
    });
  });
}

const READ = {
  name: "read",
  description: "Reads a file.",
  parameters: { type: "object", properties: { path: { type: "string" } } },
};

/** The contract of every wire format. */
export function wireContract(name: string, make: ModelFactory): void {
  describe(`${name} keeps the contract of a wire format`, () => {
    test("returns reasoning, text and tool calls as parts in order", async () => {
      const lab = openLab();
      await lab.script({
        reasoning: "I need the file.",
        text: "Let me look.",
        calls: [{ name: "read", args: { path: "a.md" } }],
      });
      const reply = await replyOf(make(lab.baseUrl), asking({ tools: [READ], thinking: "medium" }));
      expect(reply.stop).toBe("tool-calls");
      expect(reply.parts).toMatchObject([
        { type: "reasoning", text: "I need the file." },
        { type: "text", text: "Let me look." },
        { type: "tool-call", tool: "read", args: { path: "a.md" } },
      ]);
    });

    test("assembles parallel calls whose arguments come in many pieces", async () => {
      const lab = openLab();
      const paths = ["a/long/path/to/one.md", "b/long/path/to/two.md", "c/long/path/to/three.md"];
      await lab.script({ calls: paths.map((path) => ({ name: "read", args: { path, limit: 10 } })), chunkSize: 3 });
      const events = await eventsOf(make(lab.baseUrl), asking({ tools: [READ] }));
      const calls = endOf(events).parts.filter((part) => part.type === "tool-call");
      expect(calls.map(({ args }) => args)).toEqual(paths.map((path) => ({ path, limit: 10 })));
      expect(new Set(calls.map(({ callId }) => callId)).size).toBe(3);
      expect(events.some(({ type }) => type === "progress")).toBe(true);
    });

    test("reads a call without arguments", async () => {
      const lab = openLab();
      await lab.script({ calls: [{ name: "ls" }, { name: "ls", args: {} }, { name: "ls", args: "null" }] });
      const reply = await replyOf(make(lab.baseUrl), asking({ tools: [READ] }));
      expect(reply.parts).toMatchObject([{ args: {} }, { args: {} }, { args: {} }]);
      for (const part of reply.parts) expect(part).not.toHaveProperty("invalidArgs");
    });

    test("keeps arguments that are no object as text", async () => {
      const lab = openLab();
      await lab.script({
        calls: [
          { name: "read", args: '{"path": "a.md"' },
          { name: "read", args: '["a.md"]' },
        ],
      });
      const reply = await replyOf(make(lab.baseUrl), asking({ tools: [READ] }));
      expect(reply.parts).toMatchObject([
        { tool: "read", args: {}, invalidArgs: '{"path": "a.md"' },
        { tool: "read", args: {}, invalidArgs: '["a.md"]' },
      ]);
    });

    test("reads arguments that were encoded twice", async () => {
      const lab = openLab();
      await lab.script({ calls: [{ name: "read", args: JSON.stringify(JSON.stringify({ path: "a.md" })) }] });
      const reply = await replyOf(make(lab.baseUrl), asking({ tools: [READ] }));
      expect(reply.parts).toMatchObject([{ args: { path: "a.md" } }]);
    });

    test("replaces a call id that the conversation already uses", async () => {
      const lab = openLab();
      const model = make(lab.baseUrl);
      await lab.script({ calls: [{ name: "read", id: "call_0" }] });
      const first = await replyOf(model, asking({ tools: [READ] }));
      const messages = [
        userSays("Read it."),
        modelSaid(first, model.ref),
        toolSaid("call_0", "read", "text"),
        userSays("Again."),
      ];
      const [again] = (await replyOf(model, asking({ tools: [READ], messages }))).parts;
      expect(first.parts).toMatchObject([{ callId: "call_0" }]);
      expect(again).toMatchObject({ type: "tool-call", tool: "read" });
      expect(again).not.toMatchObject({ callId: "call_0" });
      expect(again).toMatchObject({ callId: expect.stringMatching(/^call_/) });
    });

    test("counts tokens as the provider does", async () => {
      const lab = openLab();
      await lab.script({ text: "ok", usage: { input: 1200, output: 80, cacheRead: 1000, reasoning: 30 } });
      const reply = await replyOf(make(lab.baseUrl), asking());
      expect(reply.usage).toEqual({ input: 1200, output: 80, cacheRead: 1000, cacheWrite: 0, reasoning: 30 });
    });

    test("returns why an answer stopped", async () => {
      const lab = openLab();
      const model = make(lab.baseUrl);
      await lab.script({ text: "Half an ans", stop: "length" }, { text: "I won't.", stop: "refusal" });
      expect(await replyOf(model, asking())).toMatchObject({ stop: "length", parts: [{ text: "Half an ans" }] });
      expect(await replyOf(model, asking())).toMatchObject({ stop: "refusal" });
    });

    test("accepts an empty answer", async () => {
      const lab = openLab();
      await lab.script({});
      const reply = await replyOf(make(lab.baseUrl), asking());
      expect(reply).toMatchObject({ parts: [], stop: "stop" });
      expect(reply.error).toBeUndefined();
    });

    test("reports a stream without a finish as an error, and keeps its text", async () => {
      const lab = openLab();
      const text = "This is said, and then nothing more comes of it.";
      await lab.script({ text, calls: [{ name: "read", args: { path: "a" } }], endAfterChunks: 5 });
      const events = await eventsOf(make(lab.baseUrl), asking({ tools: [READ] }));
      const reply = endOf(events);
      expect(reply).toMatchObject({ stop: "error", error: { kind: "timeout" } });
      expect(partsText(reply, "text")).not.toBe("");
      expect(text.startsWith(partsText(reply, "text"))).toBe(true);
      expect(joined(events, "text")).toBe(partsText(reply, "text"));
      expect(reply.parts.every(({ type }) => type === "text")).toBe(true);
    });

    test("returns no call of an answer that did not end well", async () => {
      const lab = openLab();
      await lab.script({ text: "Reading.", calls: [{ name: "read", args: { path: "a" } }], unfinished: true });
      const reply = await replyOf(make(lab.baseUrl), asking({ tools: [READ] }));
      expect(reply).toMatchObject({ stop: "error", parts: [{ type: "text", text: "Reading." }] });
    });

    test("ends at an error in the stream, and closes the connection", async () => {
      const lab = openLab();
      const error = { type: "error", sequence_number: 1, error: { type: "overloaded_error", message: "Overloaded" } };
      const raw = `event: error\ndata: ${JSON.stringify(error)}\n\n`;
      // The provider sends this and keeps the connection open.
      await lab.script({ raw: `${raw}: more`, sliceBytes: raw.length, gapMs: 600_000 });
      const reply = await replyOf(make(lab.baseUrl), asking());
      expect(reply).toMatchObject({ stop: "error", parts: [], error: { kind: "overloaded", message: "Overloaded" } });
      await expectHungUp(lab);
    });

    test("reports a connection that breaks as an error, and keeps the text", async () => {
      const lab = openLab();
      const text = "word ".repeat(400);
      await lab.script({ text, cutAfterBytes: 4_000, gapMs: 1 });
      const events = await eventsOf(make(lab.baseUrl), asking());
      const reply = endOf(events);
      expect(reply).toMatchObject({ stop: "error", error: { kind: "timeout" } });
      expect(reply.error).not.toHaveProperty("status");
      expect(partsText(reply, "text")).not.toBe("");
      expect(joined(events, "text")).toBe(partsText(reply, "text"));
    });

    test("reports a body without events as an error", async () => {
      const lab = openLab();
      await lab.script({ raw: "" });
      expect(await replyOf(make(lab.baseUrl), asking())).toMatchObject({
        stop: "error",
        parts: [],
        error: { kind: "timeout" },
      });
    });

    test("reads a stream that arrives in pieces of three bytes", async () => {
      const lab = openLab();
      await lab.script({ text: "Grüße aus 東京, 🦊!", sliceBytes: 3 });
      const whole = await replyOf(make(lab.baseUrl), asking());
      expect(partsText(whole, "text")).toBe("Grüße aus 東京, 🦊!");
    });

    test("reports a refused request with status, kind, message and wait", async () => {
      const lab = openLab();
      const error = { type: "rate_limit_error", message: "Slow down." };
      await lab.script({ status: 429, headers: { "retry-after": "7" }, body: { type: "error", error } });
      const reply = await replyOf(make(lab.baseUrl), asking());
      expect(reply).toEqual({
        parts: [],
        stop: "error",
        usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
        error: { kind: "rate_limit", status: 429, retryAfterMs: 7_000, message: "Slow down." },
      });
    });

    test.each([
      [401, { error: { message: "Incorrect API key provided." } }, "auth"],
      [402, { error: { message: "Insufficient credits." } }, "billing"],
      [400, { error: { message: "prompt is too long: 300000 tokens > 200000 maximum" } }, "overflow"],
      [400, "", "overflow"],
      [400, { error: { message: "messages: unexpected role" } }, "format"],
      [500, "<html>oops</html>", "timeout"],
      [529, { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }, "overloaded"],
    ])("knows what a %i with %j means", async (status, body, kind) => {
      const lab = openLab();
      await lab.script({ status, body });
      const reply = await replyOf(make(lab.baseUrl), asking());
      expect(reply).toMatchObject({ stop: "error", error: { kind, status } });
      expect(reply.error?.message).toMatch(/^[^<]+$/);
    });

    test("names the address in a 404 error", async () => {
      const lab = openLab();
      await lab.script({ status: 404, body: "404 page not found" });
      const reply = await replyOf(make(lab.baseUrl), asking());
      expect(reply.error).toMatchObject({ kind: "other", status: 404, message: expect.stringContaining("/s/") });
    });

    test("does not retry", async () => {
      const lab = openLab();
      await lab.script({ status: 503 });
      await replyOf(make(lab.baseUrl), asking());
      expect(await lab.requests()).toHaveLength(1);
    });

    test("reports an unreachable server with its address", async () => {
      const reply = await replyOf(make("http://127.0.0.1:9/v1"), asking());
      expect(reply).toMatchObject({ stop: "error", parts: [], error: { kind: "timeout" } });
      expect(reply.error?.message).toContain("http://127.0.0.1:9/v1");
    });

    test("closes the connection if it is aborted before the first byte", async () => {
      const lab = openLab();
      await lab.script({ hang: true });
      const abort = new AbortController();
      const began = performance.now();
      setTimeout(() => abort.abort(), 50);
      expect(await replyOf(make(lab.baseUrl), asking(), abort.signal)).toMatchObject({ stop: "aborted", parts: [] });
      expect(performance.now() - began).toBeLessThan(2_000);
      await expectHungUp(lab);
    });

    test("closes the connection if it is aborted while the provider is silent", async () => {
      const lab = openLab();
      await lab.script({ text: "First piece, and the rest never comes.", gapMs: 600_000 });
      const abort = new AbortController();
      setTimeout(() => abort.abort(), 100);
      const began = performance.now();
      expect(await replyOf(make(lab.baseUrl), asking(), abort.signal)).toMatchObject({ stop: "aborted" });
      expect(performance.now() - began).toBeLessThan(2_000);
      await expectHungUp(lab);
    });

    test("closes the connection if its reader leaves", async () => {
      const lab = openLab();
      await lab.script({ text: "word ".repeat(2_000), gapMs: 5 });
      for await (const event of make(lab.baseUrl).stream(asking(), new AbortController().signal)) {
        if (event.type === "text") break;
      }
      await expectHungUp(lab);
    });
  });
}

async function expectHungUp(lab: Lab): Promise<void> {
  await expect.poll(async () => (await lab.requests()).map(({ hungUp }) => hungUp), { timeout: 3_000 }).toEqual([true]);
}
