import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { backoff } from "../client/backoff.ts";
import { eventSource } from "../client/event-source.ts";
import { follow } from "../client/follow.ts";
import { ApiError, requestJson, requestOk, runPath, type Server, sessionPath } from "../client/http.ts";
import { isAccepted, isLast } from "../client/wire.ts";
import { createPrinter } from "./printer.ts";
import { explain } from "./problem.ts";

/** The output of a chat. */
export interface TerminalOutput {
  write(text: string): void;
  /** Prints a message that is not part of the chat. */
  note(text: string): void;
  /** Whether the output understands escape sequences. */
  styled: boolean;
}

/** How long the answer to a message may come after the events of its run. */
const SETTLE_MS = 300;
/** How often a chat looks whether its session has begun. */
const LOOK_AGAIN_MS = 3000;

function hasCursor(value: unknown): value is { cursor: number } {
  return typeof value === "object" && value !== null && "cursor" in value && typeof value.cursor === "number";
}

function isReplied(value: unknown): value is { reply?: string } {
  return typeof value === "object" && value !== null;
}

/** Sends messages to a session, one at a time, and prints the events of each run. */
export class TerminalChat {
  readonly #server: Server;
  readonly #sessionKey: string;
  readonly #output: TerminalOutput;
  /** The runs of messages that were sent here. */
  readonly #own = new Set<string>();
  #run: string | undefined;
  #waiting: AbortController | undefined;

  constructor(server: Server, sessionKey: string, output: TerminalOutput) {
    this.#server = server;
    this.#sessionKey = sessionKey;
    this.#output = output;
  }

  /** Sends a message and prints its run's events to the end. Resolves with whether the run succeeded. */
  async send(message: string): Promise<boolean> {
    const waiting = new AbortController();
    this.#waiting = waiting;
    try {
      const runId = await this.#post(message, waiting.signal);
      this.#run = runId;
      if (runId !== undefined) this.#own.add(runId);
      return runId !== undefined && (await this.#printRun(runId, waiting.signal));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#output.note(explain(error));
      return false;
    } finally {
      this.#waiting = undefined;
      this.#run = undefined;
    }
  }

  /**
   * Prints what the agent says by itself, such as reminders, until the signal aborts. Runs of messages that this chat
   * has sent are printed with them.
   */
  async watch(signal: AbortSignal): Promise<void> {
    const path = sessionPath(this.#sessionKey, "events");
    try {
      const after = await this.#cursor(signal);
      if (after === undefined) return;
      for await (const event of follow(eventSource(this.#server, path), { after, signal })) {
        if (!isLast(event) || event.phase !== "end") continue;
        // The answer that names the run of a message may come after the end of that run.
        await sleep(SETTLE_MS, undefined, { signal }).catch(() => undefined);
        if (this.#own.has(event.runId)) continue;
        const { reply } = await requestJson(this.#server, { path: runPath(event.runId) }, isReplied);
        if (reply !== undefined && reply !== "") this.#output.write(`\n${reply}\n`);
      }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#output.note(explain(error));
    }
  }

  /** The number after which new events come, once there is a session; undefined after the signal. */
  async #cursor(signal: AbortSignal): Promise<number | undefined> {
    while (!signal.aborted) {
      try {
        const path = `${sessionPath(this.#sessionKey, "history")}?limit=1`;
        return (await requestJson(this.#server, { path, signal }, hasCursor)).cursor;
      } catch (error) {
        if (signal.aborted) return undefined;
        if (!(error instanceof ApiError) || (error.status !== 404 && !error.passing)) throw error;
        await sleep(LOOK_AGAIN_MS, undefined, { signal }).catch(() => undefined);
      }
    }
    return undefined;
  }

  /**
   * Interrupts the current message: the first call aborts the run, the second stops waiting for it.
   * Returns whether there was a message to interrupt.
   */
  interrupt(): boolean {
    if (!this.#waiting) return false;
    if (this.#run === undefined) {
      this.#waiting.abort();
    } else {
      const path = runPath(this.#run, "abort");
      this.#run = undefined;
      requestOk(this.#server, { method: "POST", path }).catch((error) => this.#output.note(explain(error)));
    }
    return true;
  }

  /** Sends a message until it is accepted; undefined where it was interrupted before that. */
  async #post(message: string, signal: AbortSignal): Promise<string | undefined> {
    const body = { message, sessionKey: this.#sessionKey, idempotencyKey: randomUUID() };
    const tries = backoff(signal);
    const onLink = this.#lossNotice();
    while (!signal.aborted) {
      try {
        return (await requestJson(this.#server, { method: "POST", path: "/v1/agent", body, signal }, isAccepted)).runId;
      } catch (error) {
        if (signal.aborted) return undefined;
        if (!(error instanceof ApiError) || !error.passing) throw error;
        onLink("lost");
        await tries.wait();
      }
    }
    return undefined;
  }

  async #printRun(runId: string, signal: AbortSignal): Promise<boolean> {
    const print = createPrinter(this.#output.styled);
    const following = { after: 0, signal, onLink: this.#lossNotice() };
    for await (const event of follow(eventSource(this.#server, runPath(runId, "events")), following)) {
      this.#output.write(print(event));
      if (event.type === "queue" && event.phase === "joined") return this.#printRun(event.intoRunId, signal);
      if (isLast(event)) return event.phase === "end";
    }
    return false;
  }

  /** Prints that the connection is lost, once each time. */
  #lossNotice(): (link: "open" | "lost") => void {
    let isLost = false;
    return (link) => {
      if (link === "lost" && !isLost) this.#output.note("Connection lost. Trying again …");
      isLost = link === "lost";
    };
  }
}
