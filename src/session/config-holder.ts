import type { AnyPlugin } from "../plugins/plugin.ts";
import { configurationInForce, isConfigurationKnown, knowConfiguration } from "../services/current-config.ts";
import { createServices, type Services } from "../services/services.ts";

/**
 * The wiring of one object: made anew where the configuration has become another, but never in the middle of a turn.
 * A turn works to its end with what it began with.
 */
export class ConfigSnapshot {
  readonly #made: () => { env: Env; plugins: readonly AnyPlugin[] };
  readonly #waitUntil: (promise: Promise<unknown>) => void;
  #newest: Services | undefined;
  #held: Services | undefined;

  /** @param made what it is made of: the object's environment, and plugins besides those that Isopod brings */
  constructor(made: () => { env: Env; plugins: readonly AnyPlugin[] }, waitUntil: (promise: Promise<unknown>) => void) {
    this.#made = made;
    this.#waitUntil = waitUntil;
  }

  /** Whether anything can begin: what is stored was read once. */
  get isReady(): boolean {
    return isConfigurationKnown(this.#made().env);
  }

  /** What the turn at work works with, else the newest. @throws IsopodError `unavailable`, `not_configured` */
  now(): Services {
    return this.#held ?? this.newest();
  }

  /** The newest that the isolate knows, also during a turn. @throws IsopodError `unavailable`, `not_configured` */
  newest(): Services {
    const { env, plugins } = this.#made();
    const { revision } = configurationInForce(env);
    if (this.#newest?.revision !== revision) this.#newest = createServices(env, this.#waitUntil, plugins);
    return this.#newest;
  }

  /**
   * Asks for the newest configuration, unless that was done a moment ago and gave the revision that somebody else knows.
   * Never rejects.
   */
  ask(atLeast?: number): Promise<void> {
    return knowConfiguration(this.#made().env, Date.now(), atLeast);
  }

  /** Keeps to the newest until `release`. @throws IsopodError `unavailable`, `not_configured` */
  hold(): Services {
    this.#held = this.newest();
    return this.#held;
  }

  /** May be called without `hold`. */
  release(): void {
    this.#held = undefined;
  }
}
