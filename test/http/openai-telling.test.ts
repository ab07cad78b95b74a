import type OpenAI from "openai";
import { describe, expect, expectTypeOf, test } from "vitest";
import type { AgentEvent, EventBody } from "../../src/agent/events.ts";
import type { ChatChunk, ChatCompletion } from "../../src/http/openai/chat-schema.ts";
import { ChatTelling } from "../../src/http/openai/chat-telling.ts";
import { responseFrame } from "../../src/http/openai/response-object.ts";
import type { ResponseObject } from "../../src/http/openai/responses-schema.ts";
import { ResponseTelling } from "../../src/http/openai/responses-telling.ts";
import { Telling, type Told } from "../../src/http/openai/telling.ts";
import { type AssistantPart, NO_USAGE, type StopReason } from "../../src/models/message.ts";

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

function toldOf(events: readonly AgentEvent[], live = true): Told[] {
  const telling = new Telling(live);
  return events.flatMap((one) => telling.of(one));
}

test("what we answer is what the official client's types say", () => {
  expectTypeOf<ChatCompletion>().toExtend<OpenAI.ChatCompletion>();
  expectTypeOf<ChatChunk>().toExtend<OpenAI.ChatCompletionChunk>();
  type Known = Omit<OpenAI.Responses.Response, "output_text" | "access_programs" | "usage">;
  expectTypeOf<ResponseObject>().toExtend<Known>();
  expectTypeOf<NonNullable<ResponseObject["usage"]>>().toExtend<OpenAI.Responses.ResponseUsage>();
});

describe("what is told of a run", () => {
  test("leaves out what the agent says to itself, and has thoughts apart", () => {
    expect(toldOf([message([{ type: "text", text: "To myself." }], { inner: true }), over])).toMatchObject([
      { kind: "done" },
    ]);
    const parts: AssistantPart[] = [
      { type: "reasoning", text: "Hm.", inline: true },
      { type: "text", text: "Yes", raw: "<think>Hm.</think>Yes" },
    ];
    const said = [reasoning("Hm."), text("Yes"), message(parts)];
    expect(toldOf(said)).toMatchObject([
      { kind: "reasoning", text: "Hm." },
      { kind: "text", text: "Yes" },
      { kind: "message", text: "Yes", reasoning: "Hm." },
    ]);
  });

  test("has a message only once it is there, where nobody reads along", () => {
    const events = [text("On"), restart, text("Two"), message([{ type: "text", text: "Two." }]), over];
    expect(toldOf(events, false).map((one) => one.kind)).toEqual(["text", "message", "done"]);
  });

  test("has the arguments of a call that was never launched, with what came of it", () => {
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
    const told = toldOf([message([call]), event({ type: "tool", phase: "end", message: result })]);
    expect(told.at(-1)).toMatchObject({ kind: "result", args: { path: "a" }, isError: true });
  });

  test("that failed is what went wrong, with the tokens that it took", () => {
    const failed = event({ type: "lifecycle", phase: "error", error: { code: "model_error", message: "No." } });
    expect(toldOf([message([]), message([]), failed]).at(-1)).toMatchObject({
      kind: "failed",
      error: { code: "model_error" },
      usage: { input: 6, output: 2 },
    });
    expect(toldOf([event({ type: "queue", phase: "dropped", reason: "old" })])).toMatchObject([
      { kind: "failed", error: { code: "dropped" } },
    ]);
  });
});

describe("a response", () => {
  function told(events: readonly AgentEvent[]) {
    const frame = responseFrame({ runId: "run_1", agentId: "main", acceptedAt: 1000 });
    const telling = new ResponseTelling(frame, { showsTools: true, showsReasoning: true });
    telling.begin();
    const written = toldOf(events).flatMap((one) => telling.of(one));
    return { events: written, response: telling.response };
  }

  test("keeps the order of thoughts and words, each in an item of its own", () => {
    const parts: AssistantPart[] = [
      { type: "reasoning", text: "Hm." },
      { type: "text", text: "One " },
      { type: "reasoning", text: "Aha." },
      { type: "text", text: "two" },
    ];
    const events = [reasoning("Hm."), text("One "), reasoning("Aha."), text("two"), message(parts), over];
    const { response } = told(events);
    expect(response.output).toMatchObject([
      { type: "reasoning", summary: [{ text: "Hm." }] },
      { type: "message", content: [{ text: "One" }] },
      { type: "reasoning", summary: [{ text: "Aha." }] },
      { type: "message", content: [{ text: " two" }] },
    ]);
  });

  test("ends an item that was begun before a restart with what counts, even with nothing", () => {
    const { response, events } = told([
      text("Hello you"),
      restart,
      message([{ type: "text", text: "NO_REPLY" }]),
      over,
    ]);
    expect(response.output).toMatchObject([{ type: "message", content: [{ text: "" }] }]);
    expect(events.at(-1)).toMatchObject({ type: "response.completed" });
  });

  test("leaves nothing open where it breaks off in the middle", () => {
    const aborted = event({ type: "lifecycle", phase: "error", error: { code: "aborted", message: "Stopped." } });
    const { response, events } = told([text("Hello you"), aborted]);
    expect(response).toMatchObject({ status: "cancelled", output: [{ status: "incomplete" }] });
    expect(events.at(-1)).toMatchObject({ type: "response.failed" });
  });
});

test("the texts of a chat's messages have a blank line between them, but none around those that say nothing", () => {
  const frame = { id: "x", created: 1, model: "m", showsTools: false, includesUsage: false };
  const telling = new ChatTelling(frame);
  const said = ["NO_REPLY", "One.", "", "Two."].map((piece) => message([{ type: "text", text: piece }]));
  const chunks = toldOf([...said, over]).flatMap((one) => telling.of(one));
  expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("")).toBe("One.\n\nTwo.");
});
