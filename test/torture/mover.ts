import { setTimeout as sleep } from "node:timers/promises";
import { attempt, type Client } from "./client.ts";
import { randomOf } from "./random.ts";

const PAUSE_MS = 150;
const LOCATIONS = ["weur", "apac", "caller", "eu"];

/** Moves sessions to other objects while they work and while they are killed. A session with a run under way refuses. */
export class Mover {
  readonly #client: Client;
  readonly #keys: readonly string[];
  readonly #random: () => number;
  readonly #moving: Promise<void>;
  #stopped = false;
  /** How many moves were confirmed. More may have been made whose answer a kill has cut off. */
  moves = 0;

  constructor(client: Client, keys: readonly string[], seed: number) {
    this.#client = client;
    this.#keys = keys;
    this.#random = randomOf(seed, "mover");
    this.#moving = this.#moveOn();
  }

  /** Ends, and moves each session once more, so that what is looked at has been moved. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#moving;
    for (const key of this.#keys) await this.#move(key);
  }

  async #moveOn(): Promise<void> {
    while (!this.#stopped) {
      await this.#move(this.#any(this.#keys));
      await sleep(PAUSE_MS);
    }
  }

  async #move(key: string): Promise<void> {
    const sent = { method: "POST" as const, body: { location: this.#any(LOCATIONS) } };
    const answer = await attempt(this.#client, `/v1/sessions/${encodeURIComponent(key)}/move`, sent);
    if (answer?.ok) this.moves++;
  }

  #any(of: readonly string[]): string {
    return of[Math.floor(this.#random() * of.length)] ?? "";
  }
}
