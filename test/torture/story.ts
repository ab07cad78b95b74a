import { type AgentEvent, isLast } from "../../src/agent/events.ts";
import { type Message, messageText } from "../../src/models/message.ts";

/**
 * What a reader makes of the events that it is told, over all its connections: the transcript, and what was wrong with
 * the telling.
 */
export class Story {
  /** Number of the last event; where to go on. */
  cursor = 0;
  readonly messages: Message[] = [];
  /** How often each run was said to have ended. */
  readonly ends = new Map<string, number>();
  /** Events that came a second time, or after a later one. */
  readonly repeats: string[] = [];
  /** Deltas that are not what their message then said. */
  readonly faults: string[] = [];
  /** How often the conversation was shortened. */
  compactions = 0;
  #shown = "";
  /** The server died since the last delta: what comes next is another attempt, or the message itself. */
  #isVoid = false;

  /** Whatever the model was saying will be said anew. */
  serverDied(): void {
    this.#isVoid = true;
  }

  /** Takes the next event. */
  take(event: AgentEvent): void {
    if (event.seq <= this.cursor) {
      this.repeats.push(`${event.type} ${event.phase} ${event.seq} came after ${this.cursor}`);
      return;
    }
    this.cursor = event.seq;
    if (isLast(event)) this.ends.set(event.runId, (this.ends.get(event.runId) ?? 0) + 1);
    if (event.type === "lifecycle" || event.phase === "restart") this.#forget();
    if (event.type === "assistant" && event.phase === "delta" && "text" in event) this.#hear(event.text, event.seq);
    if (event.type === "compaction" && event.phase === "end") this.compactions++;
    const message = messageOf(event);
    if (message === undefined) return;
    if (message.role === "assistant") this.#compare(messageText(message), message.id);
    if (this.messages.some((known) => known.id === message.id)) this.repeats.push(`message ${message.id}`);
    else this.messages.push(message);
  }

  #hear(delta: string, seq: number): void {
    if (this.#isVoid && this.#shown !== "") {
      this.faults.push(`delta ${seq}: the server died after '${this.#shown}' and nobody said that this is void`);
      this.#forget();
    }
    this.#isVoid = false;
    this.#shown += delta;
  }

  #compare(text: string, id: string): void {
    if (!this.#isVoid && !text.startsWith(this.#shown)) {
      this.faults.push(`message ${id}: '${this.#shown}' is not how '${text}' begins`);
    }
    this.#forget();
  }

  #forget(): void {
    this.#shown = "";
    this.#isVoid = false;
  }
}

/** The message that an event is. */
function messageOf(event: AgentEvent): Message | undefined {
  if (event.type === "lifecycle") return event.phase === "start" ? event.input : undefined;
  if (event.type === "queue") return event.phase === "joining" ? event.input : undefined;
  if (event.type === "assistant") return event.phase === "message" ? event.message : undefined;
  return event.type === "tool" && event.phase === "end" ? event.message : undefined;
}
