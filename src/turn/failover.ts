import type { Failover } from "../agent/failover.ts";
import { beginFailover, type Cooldown, type Cooldowns, chooseCandidate, cooldownNames } from "../agent/failover.ts";
import type { Candidate } from "../models/candidates.ts";
import type { Model } from "../models/model.ts";
import type { CooldownStore } from "../services/cooldowns.ts";
import type { Services } from "../services/services.ts";
import type { ActiveRun } from "./active-run.ts";

/**
 * Creates the failover of a turn over these models, the preferred one first. Their cooldowns are requested at once, so
 * that they are known before the first call.
 * @param refs `provider/model`
 * @throws IsopodError `not_configured` if none of them is available
 */
export function turnFailover(refs: readonly string[], run: ActiveRun, services: Services): TurnFailover {
  const { state } = run.journal;
  const deadline = state.status === "running" ? state.deadline : undefined;
  return openFailover(refs, services, { waitsForLimits: state.client?.waitsItself !== true, deadline });
}

/**
 * The failover of calls that a turn makes besides its own. It waits for no rate limit.
 * @throws IsopodError `not_configured` if none of the models is available
 */
export function sideFailover(refs: readonly string[], services: Services): TurnFailover {
  return openFailover(refs, services, { waitsForLimits: false, deadline: undefined });
}

function openFailover(
  refs: readonly string[],
  services: Services,
  { waitsForLimits, deadline }: Pick<Failover["retry"], "waitsForLimits"> & Pick<TurnFailoverDeps, "deadline">,
): TurnFailover {
  return new TurnFailover({
    candidates: services.candidates(refs),
    patience: { ...services.config.models.retry, waitsForLimits },
    deadline,
    cooldowns: services.cooldowns,
  });
}

interface TurnFailoverDeps {
  candidates: readonly Candidate[];
  patience: Failover["retry"];
  deadline: number | undefined;
  cooldowns: CooldownStore;
}

/** The candidates of one turn. A candidate that has answered once is kept as long as it works. */
export class TurnFailover implements Failover {
  readonly retry: Failover["retry"];
  readonly deadline: number | undefined;
  readonly #cooldowns: CooldownStore;
  readonly #names: readonly string[];
  #candidates: readonly Candidate[];
  #reading: Promise<Cooldowns> | undefined;

  constructor({ candidates, patience, deadline, cooldowns }: TurnFailoverDeps) {
    this.retry = patience;
    this.deadline = deadline;
    this.#candidates = candidates;
    this.#cooldowns = cooldowns;
    // A single candidate is called in any case, so D1 is not read.
    this.#names = candidates.length > 1 ? [...new Set(candidates.flatMap(cooldownNames))] : [];
    this.cooldowns();
  }

  get candidates(): readonly Candidate[] {
    return this.#candidates;
  }

  /** The first candidate that is not cooling down. */
  async lead(): Promise<Model> {
    const choice = chooseCandidate(beginFailover(this.#candidates, await this.cooldowns(), this.deadline), Date.now());
    const candidate = choice.kind === "ask" ? choice.candidate : this.#candidates[0];
    if (candidate === undefined) throw new Error("There is no model to ask.");
    return candidate.model;
  }

  cooldowns(): Promise<Cooldowns> {
    this.#reading ??= this.#cooldowns.of(this.#names, Date.now()).finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  coolDown(name: string, rest: Cooldown): void {
    if (this.#names.length > 0) this.#cooldowns.note(name, rest, Date.now());
  }

  answered(candidate: Candidate, forgiven: readonly string[]): void {
    const at = Math.max(0, this.#candidates.indexOf(candidate));
    this.#candidates = [...this.#candidates.slice(at), ...this.#candidates.slice(0, at)];
    if (forgiven.length > 0) this.#cooldowns.forget(forgiven, Date.now());
  }

  chance(): number {
    return Math.random();
  }
}
