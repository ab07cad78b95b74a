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
  type ToolCallPart,
  toolCalls,
  type Usage,
} from "../../models/message.ts";
import type { Approval } from "../../session-store/run.ts";
import type { RunView } from "../../session-store/run-views.ts";
import { ResumableText } from "./resumable-text.ts";

/** One step of a run as both of OpenAI's protocols show it, in the order in which it happens. */
export type RunUpdate =
  | { kind: "reasoning"; text: string }
  | { kind: "text"; text: string }
  /** The end of a message, with its final text and reasoning; the texts before it were its parts. */
  | { kind: "message"; text: string; reasoning: string; stop: StopReason }
  | { kind: "call"; callId: string; tool: string; args: JsonObject }
  | { kind: "result"; callId: string; tool: string; args: JsonObject; text: string; isError: boolean }
  /** The calls of the client's own tools with which the run has ended; `done` follows. */
  | { kind: "called"; calls: readonly ToolCallPart[] }
  | FinalUpdate;

/** The last update of an answer. */
export type FinalUpdate =
  | { kind: "done"; usage: Usage }
  | { kind: "failed"; error: RunError; usage: Usage }
  /** The run waits for an approval, perhaps for long, and goes on after the answer has ended. */
  | { kind: "waits"; approvals: PendingApproval[]; usage: Usage };

/** A tool call that a person has to approve. */
export type PendingApproval = Pick<Approval, "id" | "tool" | "question">;

/** Whether this is the last update. */
export function isFinal(update: RunUpdate): update is FinalUpdate {
  return update.kind === "done" || update.kind === "failed" || update.kind === "waits";
}

/** Whether a run has ended. */
export function isEnded({ status }: RunView): boolean {
  return status !== "queued" && status !== "running" && status !== "waiting_approval";
}

/** The last update of an ended run, from its stored state. */
export function finalUpdate({ status, error, usage = NO_USAGE }: RunView): FinalUpdate {
  if (status === "ok" || status === "joined") return { kind: "done", usage };
  return { kind: "failed", error: error ?? { code: "internal", message: "The run did not end well." }, usage };
}

/** Turns a run's events into updates. */
export class RunUpdates {
  readonly #live: boolean;
  readonly #onlyFinal: boolean;
  /** The calls of the last message that have no result. */
  #open: readonly ToolCallPart[] = [];
  readonly #text = new ResumableText("text");
  readonly #reasoning = new ResumableText("reasoning");
  readonly #calls = new Map<string, JsonObject>();
  #usage: Usage = NO_USAGE;

  /**
   * @param live whether a message's text comes in parts as the model writes it, not only once it is complete
   * @param onlyFinal whether the text is that of the last message only, because it has a format; it is not live then
   */
  constructor(live: boolean, onlyFinal = false) {
    this.#live = live && !onlyFinal;
    this.#onlyFinal = onlyFinal;
  }

  /** The tokens of the messages so far. */
  get usage(): Usage {
    return this.#usage;
  }

  /** The updates that an event makes. */
  from(event: AgentEvent): RunUpdate[] {
    switch (event.type) {
      case "assistant":
        return this.#assistant(event);
      case "tool":
        return this.#tool(event);
      case "lifecycle":
        if (event.phase === "start") return [];
        return event.phase === "end"
          ? [...this.#called(), { kind: "done", usage: event.usage }]
          : [{ kind: "failed", error: event.error, usage: this.#usage }];
      case "queue":
        return event.phase === "dropped" ? [{ kind: "failed", error: DROPPED, usage: this.#usage }] : [];
      default:
        return [];
    }
  }

  #called(): RunUpdate[] {
    return this.#open.length === 0 ? [] : [{ kind: "called", calls: this.#open }];
  }

  #assistant(event: AssistantEvent): RunUpdate[] {
    if (event.phase === "message") return this.#message(event.message);
    if (!this.#live) return [];
    if (event.phase === "restart") {
      this.#text.restart();
      this.#reasoning.restart();
      return [];
    }
    return "text" in event
      ? textUpdate("text", this.#text.append(event.text))
      : textUpdate("reasoning", this.#reasoning.append(event.reasoning));
  }

  #message(message: AssistantMessage): RunUpdate[] {
    if (message.inner) return [];
    this.#open = toolCalls(message);
    for (const { callId, args } of this.#open) this.#calls.set(callId, args);
    this.#usage = addUsage(this.#usage, message.usage);
    const text = this.#onlyFinal && this.#open.length > 0 ? "" : messageText(message);
    const reasoning = message.parts.flatMap((part) => (part.type === "reasoning" ? [part.text] : [])).join("");
    return [
      ...textUpdate("reasoning", this.#reasoning.finish(reasoning)),
      ...textUpdate("text", this.#text.finish(text)),
      { kind: "message", text: stripSilentToken(text), reasoning, stop: message.stop },
    ];
  }

  #tool(event: ToolEvent): RunUpdate[] {
    if (event.phase === "update") return [];
    if (event.phase === "start") {
      const { callId, tool, args } = event;
      this.#calls.set(callId, args);
      return [{ kind: "call", callId, tool, args }];
    }
    const { callId, tool, text, isError } = event.message;
    this.#open = this.#open.filter((call) => call.callId !== callId);
    return [{ kind: "result", callId, tool, args: this.#calls.get(callId) ?? {}, text, isError }];
  }
}

const DROPPED: RunError = { code: "dropped", message: "The message gave way to others that came later." };

function textUpdate(kind: "text" | "reasoning", text: string): RunUpdate[] {
  return text === "" ? [] : [{ kind, text }];
}

/** The text, in Markdown, that ends an answer whose run waits for approvals. */
export function approvalPrompt(approvals: readonly PendingApproval[]): string {
  const questions = approvals.map(
    ({ id, tool, question }) => `- \`${tool}\`: ${question}\n  \`POST /v1/approvals/${id}\``,
  );
  return [
    "**I need your word before I go on.**",
    questions.join("\n"),
    'Answer there with `{"decision": "allow-once"}`, `allow-always` or `deny`, or say `/approve allow-once` in this ' +
      "session. I go on then; `GET /v1/runs/<runId>` has my answer.",
  ].join("\n\n");
}
