import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "./client.ts";
import type { MinuteClock } from "./clock.ts";
import type { Plan, PlannedMessage } from "./plan.ts";
import { between, randomOf } from "./random.ts";
import { type SentMessage, send } from "./sender.ts";
import type { Place, Watch } from "./watch.ts";

/** Messages of one moment are sent within this time, in milliseconds. */
const SPREAD_MS = 1800;

/** Sends the messages of a plan: some after each kill, some when a kill asks for something to interrupt. */
export class Mail {
  readonly sent: SentMessage[] = [];
  readonly #client: Client;
  readonly #around: { watch: Watch; clock: MinuteClock };
  readonly #until: AbortSignal;
  readonly #random: () => number;
  readonly #sending: Promise<void>[] = [];
  #waiting: PlannedMessage[];

  /** @param until when messages that are not accepted yet are given up */
  constructor(
    client: Client,
    around: { watch: Watch; clock: MinuteClock },
    plan: Plan,
    seed: number,
    until: AbortSignal,
  ) {
    this.#client = client;
    this.#around = around;
    this.#until = until;
    this.#random = randomOf(seed, "mail");
    this.#waiting = [...plan.messages];
  }

  /** Sends what is due once so many kills are done. */
  due(kills: number): void {
    const due = this.#waiting.filter(({ afterKill }) => afterKill <= kills);
    this.#waiting = this.#waiting.filter((message) => !due.includes(message));
    for (const message of due) this.#send(message, between(this.#random, 0, SPREAD_MS));
  }

  /** Sends a message that leads to a place, at once. */
  lure(place: Place): void {
    const kept = this.#waiting.findLast(
      ({ session, door }) => door !== "job" && (place !== "delivery" || session.chat !== undefined),
    );
    if (kept === undefined) return;
    this.#waiting = this.#waiting.filter((message) => message !== kept);
    this.#send(kept, 0);
  }

  /** Sends messages now, and resolves when they are accepted. */
  async open(messages: readonly PlannedMessage[]): Promise<void> {
    for (const message of messages) this.#send(message, 0);
    await this.done();
  }

  /** Resolves when everything that was sent is accepted, or given up. */
  async done(): Promise<void> {
    await Promise.all(this.#sending);
  }

  #send(message: PlannedMessage, afterMs: number): void {
    const sending = sleep(afterMs).then(() => send(this.#client, message, this.#around, this.#until));
    this.#sending.push(sending.then((record) => void this.sent.push(record)));
  }
}
