import type { AgentEvent, AssistantEvent, ToolEvent } from "../../agent/events.ts";
import type { RunError } from "../../agent/run-error.ts";
import { stripSilentToken } from "../../agent/silent-token.ts";
import type { JsonObject } from "../../lib/json.ts";
import {
  type AssistantMessage,
  addUsage,
  messageText,
  NO_USAGE,
  type StopReason,
  toolCalls,
  type Usage,
} from "../../models/message.ts";
import type { Approval } from "../../session-store/run.ts";
import type { RunView } from "../../session-store/run-views.ts";
import { Unfolding } from "./unfolding.ts";

/** What a caller of OpenAI's API is told of a run, in the order in which it happens. */
export type Told =
  | { kind: "reasoning"; text: string }
  | { kind: "text"; text: string }
  /** The message of which the texts before were is over; these are the whole of it as it is to be kept. */
  | { kind: "message"; text: string; reasoning: string; stop: StopReason }
  | { kind: "call"; callId: string; tool: string; args: JsonObject }
  | { kind: "result"; callId: string; tool: string; args: JsonObject; text: string; isError: boolean }
  | Ending;

/** Why nothing more is told. */
export type Ending =
  | { kind: "done"; usage: Usage }
  | { kind: "failed"; error: RunError; usage: Usage }
  /** The run waits for a person, perhaps for long, and goes on then. */
  | { kind: "waits"; approvals: Question[]; usage: Usage };

/** A tool call on which a person has to speak. */
export type Question = Pick<Approval, "id" | "tool" | "question">;

/** Whether nothing is told after this. */
export function isEnding(told: Told): told is Ending {
  return told.kind === "done" || told.kind === "failed" || told.kind === "waits";
}

/** Whether nothing happens in a run any more. */
export function isOver({ status }: RunView): boolean {
  return status !== "queued" && status !== "running" && status !== "waiting_approval";
}

/** How a run ended that is over, from what is known of it. */
export function endingOf({ status, error, usage = NO_USAGE }: RunView): Ending {
  if (status === "ok" || status === "joined") return { kind: "done", usage };
  return { kind: "failed", error: error ?? { code: "internal", message: "The run did not end well." }, usage };
}

/** Makes what is told out of a run's events. */
export class Telling {
  readonly #live: boolean;
  readonly #text = new Unfolding("speech");
  readonly #reasoning = new Unfolding("thought");
  readonly #calls = new Map<string, JsonObject>();
  #usage: Usage = NO_USAGE;

  /** @param live whether a message is told as it is being said, not only once it is there */
  constructor(live: boolean) {
    this.#live = live;
  }

  /** The tokens of what was told so far. */
  get usage(): Usage {
    return this.#usage;
  }

  /** What there is to tell of an event. */
  of(event: AgentEvent): Told[] {
    switch (event.type) {
      case "assistant":
        return this.#assistant(event);
      case "tool":
        return this.#tool(event);
      case "lifecycle":
        if (event.phase === "start") return [];
        return event.phase === "end"
          ? [{ kind: "done", usage: event.usage }]
          : [{ kind: "failed", error: event.error, usage: this.#usage }];
      case "queue":
        return event.phase === "dropped" ? [{ kind: "failed", error: DROPPED, usage: this.#usage }] : [];
      default:
        return [];
    }
  }

  #assistant(event: AssistantEvent): Told[] {
    if (event.phase === "message") return this.#message(event.message);
    if (!this.#live) return [];
    if (event.phase === "restart") {
      this.#text.restart();
      this.#reasoning.restart();
      return [];
    }
    return "text" in event
      ? told("text", this.#text.more(event.text))
      : told("reasoning", this.#reasoning.more(event.reasoning));
  }

  #message(message: AssistantMessage): Told[] {
    if (message.inner) return [];
    for (const { callId, args } of toolCalls(message)) this.#calls.set(callId, args);
    this.#usage = addUsage(this.#usage, message.usage);
    const text = messageText(message);
    const reasoning = message.parts.flatMap((part) => (part.type === "reasoning" ? [part.text] : [])).join("");
    return [
      ...told("reasoning", this.#reasoning.end(reasoning)),
      ...told("text", this.#text.end(text)),
      { kind: "message", text: stripSilentToken(text), reasoning, stop: message.stop },
    ];
  }

  #tool(event: ToolEvent): Told[] {
    if (event.phase === "update") return [];
    if (event.phase === "start") {
      const { callId, tool, args } = event;
      this.#calls.set(callId, args);
      return [{ kind: "call", callId, tool, args }];
    }
    const { callId, tool, text, isError } = event.message;
    return [{ kind: "result", callId, tool, args: this.#calls.get(callId) ?? {}, text, isError }];
  }
}

const DROPPED: RunError = { code: "dropped", message: "The message gave way to others that came later." };

function told(kind: "text" | "reasoning", text: string): Told[] {
  return text === "" ? [] : [{ kind, text }];
}
