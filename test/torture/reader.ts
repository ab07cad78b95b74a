import { setTimeout as sleep } from "node:timers/promises";
import { createParser } from "eventsource-parser";
import { isAgentEvent } from "../../src/client/wire.ts";
import { messageOf } from "../../src/lib/errors.ts";
import { type Client, isLost } from "./client.ts";
import type { ReaderKind } from "./plan.ts";
import { between } from "./random.ts";
import { readSocket } from "./socket.ts";
import { Story } from "./story.ts";

/** How long a reader stays connected, at least and at most, in milliseconds. */
export interface Patience {
  least: number;
  most: number;
}

/** Somebody who reads the events of a session from its beginning, with connections that break all the time. */
export class Reader {
  readonly kind: ReaderKind;
  readonly story = new Story();
  connections = 0;
  readonly #client: Client;
  readonly #path: string;
  readonly #random: () => number;
  readonly #patience: Patience;
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;

  constructor(client: Client, kind: ReaderKind, key: string, random: () => number, patience: Patience) {
    this.kind = kind;
    this.#client = client;
    this.#path = `/v1/sessions/${encodeURIComponent(key)}/${kind === "sse" ? "events" : "socket"}`;
    this.#random = random;
    this.#patience = patience;
    this.#done = this.#read();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  async #read(): Promise<void> {
    const { least, most } = this.#patience;
    while (!this.#stop.signal.aborted) {
      this.connections++;
      const patience = AbortSignal.timeout(between(this.#random, least, most));
      const signal = AbortSignal.any([this.#stop.signal, patience]);
      try {
        if (this.kind === "sse") await this.#readEvents(signal);
        else await readSocket(this.#client, this.#path, this.story, signal);
      } catch (error) {
        if (!isLost(error)) this.story.faults.push(messageOf(error));
      }
      await sleep(between(this.#random, 10, 150));
    }
  }

  /** Goes on after the last event, which a reader may say in two ways. */
  async #readEvents(signal: AbortSignal): Promise<void> {
    const { cursor } = this.story;
    const byHeader = this.#random() < 0.5;
    const response = await fetch(`${this.#client.url}${this.#path}${byHeader ? "" : `?after=${cursor}`}`, {
      headers: {
        Authorization: `Bearer ${this.#client.token}`,
        ...(byHeader && { "Last-Event-ID": String(cursor) }),
      },
      signal,
    });
    if (!response.ok || response.body === null) {
      const said = await response.text();
      if (response.status < 500) this.story.faults.push(`${this.#path} answered ${response.status}: ${said}`);
      return;
    }
    const parser = createParser({
      onEvent: ({ data }) => {
        const event: unknown = JSON.parse(data);
        if (!isAgentEvent(event)) throw new Error(`Not an event: ${data}`);
        this.story.take(event);
      },
    });
    const decoder = new TextDecoder();
    for await (const bytes of response.body) parser.feed(decoder.decode(bytes, { stream: true }));
  }
}
