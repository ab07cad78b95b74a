import { setTimeout as sleep } from "node:timers/promises";
import { attempt, type Client } from "./client.ts";
import type { Faults } from "./faults.ts";
import { between, randomOf } from "./random.ts";

/** Lets D1 be away for some seconds, again and again. */
export class Outages {
  readonly #stop = new AbortController();
  readonly #over: Promise<void>;

  constructor(client: Client, faults: Faults, seed: number) {
    this.#over = this.#run(client, faults, randomOf(seed, "outages"));
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#over;
  }

  async #run(client: Client, faults: Faults, random: () => number): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await sleep(between(random, 3000, 12_000), undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      const answer = await attempt(client, `/torture/outage?ms=${between(random, 800, 3000)}`, {});
      if (answer?.ok) faults.struck.push({ place: "d1", fault: "away", at: Date.now() });
    }
  }
}
