import { locationOf } from "../config/session-location.ts";
import type { SessionLocation } from "../config/session-schema.ts";
import { IsopodError } from "../lib/errors.ts";
import type { AnyPlugin } from "../plugins/plugin.ts";
import { createServices } from "../services/create-services.ts";
import { configurationInForce, isConfigurationKnown, knowConfiguration } from "../services/current-config.ts";
import type { Services } from "../services/services.ts";

/** What the services of an object are made of. */
export interface SnapshotOf {
  env: Env;
  /** Plugins besides the bundled ones. */
  plugins: readonly AnyPlugin[];
  /** The bindings of R2 and D1. */
  stores(): Pick<Env, "FILES" | "DB" | "MEMORY">;
}

/**
 * The services of one object for the configuration revision that its isolate has read. A turn keeps the revision that
 * it began with; a newer one takes effect after it.
 */
export class ConfigSnapshot {
  readonly #made: () => SnapshotOf;
  readonly #waitUntil: (promise: Promise<unknown>) => void;
  #newest: Services | undefined;
  #held: Services | undefined;

  constructor(made: () => SnapshotOf, waitUntil: (promise: Promise<unknown>) => void) {
    this.#made = made;
    this.#waitUntil = waitUntil;
  }

  /** Whether the stored configuration was read at least once; no run starts before. */
  get isReady(): boolean {
    return isConfigurationKnown(this.#made().env);
  }

  /** The services of the current turn, or else the newest. @throws IsopodError `unavailable`, `not_configured` */
  now(): Services {
    return this.#held ?? this.newest();
  }

  /** The newest services, also during a turn. @throws IsopodError `unavailable`, `not_configured` */
  newest(): Services {
    const { env, plugins, stores } = this.#made();
    const { revision } = configurationInForce(env);
    if (this.#newest?.revision !== revision) this.#newest = createServices(env, this.#waitUntil, plugins, stores());
    return this.#newest;
  }

  /** Where a new session is created: near its first caller if the configuration is not known or not valid. */
  locationOf(sessionKey: string): SessionLocation {
    try {
      return locationOf(this.now().config, sessionKey);
    } catch (error) {
      if (error instanceof IsopodError) return "caller";
      throw error;
    }
  }

  /**
   * Reads the newest configuration from D1, unless this revision or a newer one was read recently. Never rejects.
   * @param atLeast a revision that the caller has seen
   */
  refresh(atLeast?: number): Promise<void> {
    return knowConfiguration(this.#made().env, Date.now(), { waitUntil: this.#waitUntil, atLeast });
  }

  /** Keeps the newest services until `release`. @throws IsopodError `unavailable`, `not_configured` */
  hold(): Services {
    this.#held = this.newest();
    return this.#held;
  }

  /** May be called without `hold`. */
  release(): void {
    this.#held = undefined;
  }
}
