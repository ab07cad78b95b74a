import { setTimeout as sleep } from "node:timers/promises";
import { attempt, type Client } from "./client.ts";
import { randomOf, weighted } from "./random.ts";

const MINUTE_MS = 60_000;
/** How long a minute takes while messages are sent, and at the end, when only the schedule is waited for. */
const PACE_MS = 2500;
const FAST_MS = 700;

/** What becomes of a minute: its event comes once, not at all, twice at once, or after a later one. */
const FATES = { once: 65, never: 10, twice: 15, again: 10 };

/** A clock whose minutes are seconds, and whose events come as unreliably as those of a real one. */
export class MinuteClock {
  /** The minute that it is, in milliseconds since the epoch; ahead of the real time. */
  now = Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
  /** How many events were taken. */
  ticks = 0;
  readonly #client: Client;
  readonly #random: () => number;
  readonly #stop = new AbortController();
  readonly #over: Promise<void>;
  #paceMs = PACE_MS;

  constructor(client: Client, seed: number) {
    this.#client = client;
    this.#random = randomOf(seed, "clock");
    this.#over = this.#run();
  }

  /** From now on minutes pass quickly, and no event is left out. */
  hurry(): void {
    this.#paceMs = FAST_MS;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#over;
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const fate = this.#paceMs === FAST_MS ? "once" : weighted(this.#random, FATES);
      const { now } = this;
      if (fate !== "never") await this.#tick(now);
      if (fate === "twice") await Promise.all([this.#tick(now), this.#tick(now)]);
      if (fate === "again") await this.#tick(now - MINUTE_MS);
      await sleep(this.#paceMs);
      this.now += MINUTE_MS;
    }
  }

  async #tick(time: number): Promise<void> {
    const answer = await attempt(this.#client, `/torture/tick?time=${time}`, {});
    if (answer?.ok) this.ticks++;
  }
}
