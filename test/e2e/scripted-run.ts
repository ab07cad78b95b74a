import { setTimeout } from "node:timers/promises";
import type { EventBody } from "../../src/agent/events.ts";
import type { AssistantMessage, AssistantPart, StopReason, ToolMessage } from "../../src/models/message.ts";
import { NO_USAGE } from "../../src/models/message.ts";

/** What a script can do in its run. */
export class ScriptedRun {
  readonly runId: string;
  readonly text: string;
  readonly signal: AbortSignal;
  readonly #emit: (body: EventBody) => void;
  #messages = 0;

  constructor(runId: string, text: string, signal: AbortSignal, emit: (body: EventBody) => void) {
    this.#emit = emit;
    this.runId = runId;
    this.text = text;
    this.signal = signal;
  }

  say(text: string): void {
    this.#emit({ type: "assistant", phase: "delta", text });
  }

  think(reasoning: string): void {
    this.#emit({ type: "assistant", phase: "delta", reasoning });
  }

  restart(): void {
    this.#emit({ type: "assistant", phase: "restart", attempt: 2 });
  }

  /** Says a text word by word and finishes the message. */
  async stream(text: string, pauseMs = 15): Promise<void> {
    for (const word of text.split(/(?<=\s)|(?<=[。，！])/)) {
      this.say(word);
      await this.wait(pauseMs);
    }
    this.answer(text);
  }

  answer(text: string): void {
    this.message([{ type: "text", text }], "stop");
  }

  message(parts: AssistantPart[], stop: StopReason): void {
    const message: AssistantMessage = {
      id: `msg_${this.runId}_${++this.#messages}`,
      at: Date.now(),
      role: "assistant",
      parts,
      stop,
      usage: NO_USAGE,
      model: "offline/rules",
    };
    this.#emit({ type: "assistant", phase: "message", message });
  }

  toolStarts(callId: string, tool: string, args: { [key: string]: string }): void {
    this.#emit({ type: "tool", phase: "start", callId, tool, args });
  }

  toolSays(callId: string, tool: string, text: string): void {
    this.#emit({ type: "tool", phase: "update", callId, tool, text });
  }

  toolEnds(callId: string, tool: string, text: string, isError = false): void {
    const message: ToolMessage = { id: `msg_${callId}`, at: Date.now(), role: "tool", callId, tool, text, isError };
    this.#emit({ type: "tool", phase: "end", message });
  }

  /** Pauses; throws when the run is stopped meanwhile. */
  async wait(ms: number): Promise<void> {
    await setTimeout(ms, undefined, { signal: this.signal });
  }
}
