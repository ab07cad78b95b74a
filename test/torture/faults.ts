import { randomOf, weighted } from "./random.ts";

/** What goes wrong with one request to a model. `broken` ends in the middle of its words, `torn` in the middle of its JSON. */
export type ModelFault = "500" | "429" | "broken" | "torn" | "cut";

/** What goes wrong with one message to the Bot API. `cut before` never arrives, `cut after` does, and its answer is lost. */
export type DeliveryFault = "500" | "429" | "cut before" | "cut after";

const MODEL: Record<ModelFault, number> = { "500": 25, "429": 20, broken: 25, torn: 15, cut: 15 };
const DELIVERY: Record<DeliveryFault, number> = { "500": 30, "429": 30, "cut before": 20, "cut after": 20 };
/** One in so many requests fails, until the faults are used up. */
const ONE_IN = 4;

/** The faults of the outside, drawn from the seed. No request fails twice in a row: what fails always is another test. */
export class Faults {
  /** What went wrong so far, by place and kind. */
  readonly struck: { place: "model" | "delivery" | "d1"; fault: string; at: number }[] = [];
  readonly #random: () => number;
  readonly #most: number;
  readonly #failed = new Set<string>();
  #drawn = 0;

  constructor(seed: number, most: number) {
    this.#random = randomOf(seed, "faults");
    this.#most = most;
  }

  /** @param name of the request; one that failed before does not fail again */
  ofModel(name: string): ModelFault | undefined {
    return this.#draw("model", name, MODEL);
  }

  ofDelivery(name: string): DeliveryFault | undefined {
    return this.#draw("delivery", name, DELIVERY);
  }

  #draw<Fault extends string>(
    place: "model" | "delivery",
    name: string,
    kinds: Record<Fault, number>,
  ): Fault | undefined {
    if (this.#drawn >= this.#most || this.#failed.has(name) || this.#random() >= 1 / ONE_IN) return undefined;
    this.#failed.add(name);
    const fault = weighted(this.#random, kinds);
    this.#drawn++;
    this.struck.push({ place, fault, at: Date.now() });
    return fault;
  }
}
