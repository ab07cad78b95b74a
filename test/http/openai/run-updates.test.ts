import type OpenAI from "openai";
import { describe, expect, expectTypeOf, test } from "vitest";
import type { AgentEvent, EventBody } from "../../../src/agent/events.ts";
import type { ChatChunk, ChatCompletion } from "../../../src/http/openai/chat-schema.ts";
import { ChatChunks } from "../../../src/http/openai/chat-stream.ts";
import { responseFrame } from "../../../src/http/openai/response-object.ts";
import type { ResponseObject } from "../../../src/http/openai/responses-schema.ts";
import { ResponseEvents } from "../../../src/http/openai/responses-stream.ts";
import { type RunUpdate, RunUpdates } from "../../../src/http/openai/run-updates.ts";
import { type AssistantPart, NO_USAGE, type StopReason } from "../../../src/models/message.ts";

function event(body: EventBody): AgentEvent {
  return { ...body, runId: "run_1", seq: 1, ts: 1 };
}

function message(parts: AssistantPart[], more: { stop?: StopReason; inner?: true } = {}): AgentEvent {
  const usage = { ...NO_USAGE, input: 3, output: 1 };
  const head = { role: "assistant" as const, id: "msg_1", at: 1, model: "fake/x", stop: "stop" as const };
  return event({ type: "assistant", phase: "message", message: { ...head, usage, parts, ...more } });
}

const text = (piece: string) => event({ type: "assistant", phase: "delta", text: piece });
const reasoning = (piece: string) => event({ type: "assistant", phase: "delta", reasoning: piece });
const restart = event({ type: "assistant", phase: "restart", attempt: 2 });
const over = event({ type: "lifecycle", phase: "end", usage: NO_USAGE });

function updatesOf(events: readonly AgentEvent[], live = true): RunUpdate[] {
  const updates = new RunUpdates(live);
  return events.flatMap((one) => updates.from(one));
}

test("chat completions and responses match the official client's types", () => {
  expectTypeOf<ChatCompletion>().toExtend<OpenAI.ChatCompletion>();
  expectTypeOf<ChatChunk>().toExtend<OpenAI.ChatCompletionChunk>();
  type Known = Omit<OpenAI.Responses.Response, "output_text" | "access_programs" | "usage">;
  expectTypeOf<ResponseObject>().toExtend<Known>();
  expectTypeOf<NonNullable<ResponseObject["usage"]>>().toExtend<OpenAI.Responses.ResponseUsage>();
});

describe("the updates of a run", () => {
  test("leave out inner messages, and keep reasoning apart from text", () => {
    expect(updatesOf([message([{ type: "text", text: "To myself." }], { inner: true }), over])).toMatchObject([
      { kind: "done" },
    ]);
    const parts: AssistantPart[] = [
      { type: "reasoning", text: "Hm.", inline: true },
      { type: "text", text: "Yes", raw: "<think>Hm.</think>Yes" },
    ];
    const said = [reasoning("Hm."), text("Yes"), message(parts)];
    expect(updatesOf(said)).toMatchObject([
      { kind: "reasoning", text: "Hm." },
      { kind: "text", text: "Yes" },
      { kind: "message", text: "Yes", reasoning: "Hm." },
    ]);
  });

  test("have a whole message at once where the answer is not streamed", () => {
    const events = [text("On"), restart, text("Two"), message([{ type: "text", text: "Two." }]), over];
    expect(updatesOf(events, false).map((one) => one.kind)).toEqual(["text", "message", "done"]);
  });

  test("have the arguments of a call that was denied before it started", () => {
    const call = { type: "tool-call" as const, callId: "c1", tool: "write", args: { path: "a" } };
    const result = {
      role: "tool" as const,
      id: "msg_2",
      at: 1,
      callId: "c1",
      tool: "write",
      text: "denied",
      isError: true,
    };
    const updates = updatesOf([message([call]), event({ type: "tool", phase: "end", message: result })]);
    expect(updates.at(-1)).toMatchObject({ kind: "result", args: { path: "a" }, isError: true });
  });

  test("of a failed run end with its error and the tokens used", () => {
    const failed = event({ type: "lifecycle", phase: "error", error: { code: "model_error", message: "No." } });
    expect(updatesOf([message([]), message([]), failed]).at(-1)).toMatchObject({
      kind: "failed",
      error: { code: "model_error" },
      usage: { input: 6, output: 2 },
    });
    expect(updatesOf([event({ type: "queue", phase: "dropped", reason: "old" })])).toMatchObject([
      { kind: "failed", error: { code: "dropped" } },
    ]);
  });
});

describe("a streamed response", () => {
  function streamed(events: readonly AgentEvent[]) {
    const frame = responseFrame({ runId: "run_1", agentId: "main", acceptedAt: 1000 });
    const stream = new ResponseEvents(frame, { showsTools: true, showsReasoning: true });
    stream.first();
    const written = updatesOf(events).flatMap((one) => stream.from(one));
    return { events: written, response: stream.response };
  }

  test("keeps the order of reasoning and text, each in an item of its own", () => {
    const parts: AssistantPart[] = [
      { type: "reasoning", text: "Hm." },
      { type: "text", text: "One " },
      { type: "reasoning", text: "Aha." },
      { type: "text", text: "two" },
    ];
    const events = [reasoning("Hm."), text("One "), reasoning("Aha."), text("two"), message(parts), over];
    const { response } = streamed(events);
    expect(response.output).toMatchObject([
      { type: "reasoning", summary: [{ text: "Hm." }] },
      { type: "message", content: [{ text: "One" }] },
      { type: "reasoning", summary: [{ text: "Aha." }] },
      { type: "message", content: [{ text: " two" }] },
    ]);
  });

  test("ends an item that a restart made void with its final text, even if that is empty", () => {
    const { response, events } = streamed([
      text("Hello you"),
      restart,
      message([{ type: "text", text: "NO_REPLY" }]),
      over,
    ]);
    expect(response.output).toMatchObject([{ type: "message", content: [{ text: "" }] }]);
    expect(events.at(-1)).toMatchObject({ type: "response.completed" });
  });

  test("closes the open item where the run is aborted", () => {
    const aborted = event({ type: "lifecycle", phase: "error", error: { code: "aborted", message: "Stopped." } });
    const { response, events } = streamed([text("Hello you"), aborted]);
    expect(response).toMatchObject({ status: "cancelled", output: [{ status: "incomplete" }] });
    expect(events.at(-1)).toMatchObject({ type: "response.failed" });
  });
});

test("the content of a chat completion has a blank line between messages, and none around silent ones", () => {
  const frame = { id: "x", created: 1, model: "m", showsTools: false, includesUsage: false };
  const stream = new ChatChunks(frame);
  const said = ["NO_REPLY", "One.", "", "Two."].map((piece) => message([{ type: "text", text: piece }]));
  const chunks = updatesOf([...said, over]).flatMap((one) => stream.from(one));
  expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("")).toBe("One.\n\nTwo.");
});
