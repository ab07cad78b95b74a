import { inject } from "vitest";
import type { Message } from "../../src/models/message.ts";
import type { Model, ModelEvent, ModelReply, ModelRequest } from "../../src/models/model.ts";
import type { ScriptedReply } from "../fakes/model-script.ts";
import type { RecordedRequest } from "../fakes/model-server.ts";

/** A scenario of its own at the fake provider. */
export interface Lab {
  baseUrl: string;
  script(...replies: ScriptedReply[]): Promise<void>;
  /** The requests since the last script, oldest first. */
  requests(): Promise<RecordedRequest[]>;
}

export function openLab(): Lab {
  const server = inject("modelServer");
  const name = crypto.randomUUID();
  return {
    baseUrl: `${server}/s/${name}/v1`,
    async script(...replies) {
      const told = await fetch(`${server}/control/${name}`, { method: "PUT", body: JSON.stringify({ replies }) });
      if (!told.ok) throw new Error(`the fake provider refused a script: ${await told.text()}`);
    },
    async requests() {
      return (await fetch(`${server}/control/${name}/requests`)).json();
    },
  };
}

/** A request with defaults for everything that a test does not set. */
export function asking(what: Partial<ModelRequest> | string = "Hello?"): ModelRequest {
  const given = typeof what === "string" ? { messages: [userSays(what)] } : what;
  return {
    system: { stable: "", dynamic: "" },
    messages: [userSays("Hello?")],
    tools: [],
    thinking: "off",
    loadFile: async () => undefined,
    ...given,
  };
}

let lastId = 0;

export function userSays(text: string): Extract<Message, { role: "user" }> {
  return { role: "user", id: `msg_${++lastId}`, at: lastId, text };
}

export function modelSaid(
  reply: Pick<ModelReply, "parts"> & Partial<ModelReply>,
  model: string,
): Extract<Message, { role: "assistant" }> {
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
  return { role: "assistant", id: `msg_${++lastId}`, at: lastId, stop: "stop", usage, model, ...reply };
}

export function toolSaid(
  callId: string,
  tool: string,
  text: string,
  isError = false,
): Extract<Message, { role: "tool" }> {
  return { role: "tool", id: `msg_${++lastId}`, at: lastId, callId, tool, text, isError };
}

/** All events of a call. */
export async function eventsOf(
  model: Model,
  request: ModelRequest,
  signal = new AbortController().signal,
): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(request, signal)) events.push(event);
  return events;
}

/** The reply that a call ends with. */
export async function replyOf(model: Model, request: ModelRequest, signal?: AbortSignal): Promise<ModelReply> {
  return endOf(await eventsOf(model, request, signal));
}

export function endOf(events: ModelEvent[]): ModelReply {
  const last = events.at(-1);
  if (last?.type !== "end") throw new Error("a call did not end with `end`");
  return last.reply;
}

/** The deltas of one kind, joined. */
export function joined(events: ModelEvent[], type: "text" | "reasoning"): string {
  return events.flatMap((event) => (event.type === type ? [event.delta] : [])).join("");
}

/** The text of a reply's parts of one kind. */
export function partsText(reply: ModelReply, type: "text" | "reasoning"): string {
  return reply.parts.flatMap((part) => (part.type === type ? [part.text] : [])).join("");
}
