import type { Failover } from "../agent/answer.ts";
import { begin, type Cooldowns, choose, type Rest, restNames } from "../agent/failover.ts";
import type { Candidate } from "../models/candidates.ts";
import type { Model } from "../models/model.ts";
import type { CooldownStore } from "../services/cooldowns.ts";
import type { Services } from "../services/services.ts";
import type { ActiveRun } from "./active-run.ts";

/**
 * Who may answer in a turn, the model that is wanted first. Who rests is asked from now on, so that it is known when a
 * model is asked.
 * @param refs `provider/model`
 * @throws IsopodError `not_configured` where none of them can be asked
 */
export function turnFailover(refs: readonly string[], run: ActiveRun, services: Services): TurnFailover {
  const { state } = run.journal;
  return new TurnFailover({
    candidates: services.candidates(refs),
    patience: services.config.models.retry,
    deadline: state.status === "running" ? state.deadline : undefined,
    cooldowns: services.cooldowns,
  });
}

interface TurnFailoverDeps {
  candidates: readonly Candidate[];
  patience: Failover["patience"];
  deadline: number | undefined;
  cooldowns: CooldownStore;
}

/** The candidates of one turn. Whoever has answered once goes on, as long as it can. */
export class TurnFailover implements Failover {
  readonly patience: Failover["patience"];
  readonly deadline: number | undefined;
  readonly #cooldowns: CooldownStore;
  readonly #names: readonly string[];
  #candidates: readonly Candidate[];
  #reading: Promise<Cooldowns> | undefined;

  constructor({ candidates, patience, deadline, cooldowns }: TurnFailoverDeps) {
    this.patience = patience;
    this.deadline = deadline;
    this.#candidates = candidates;
    this.#cooldowns = cooldowns;
    // One that has no other beside it is asked anyway, and D1 is not.
    this.#names = candidates.length > 1 ? [...new Set(candidates.flatMap(restNames))] : [];
    this.rests();
  }

  get candidates(): readonly Candidate[] {
    return this.#candidates;
  }

  /** Who is likely to answer: the first that does not rest. */
  async lead(): Promise<Model> {
    const choice = choose(begin(this.#candidates, await this.rests(), this.deadline), Date.now());
    const candidate = choice.kind === "ask" ? choice.candidate : this.#candidates[0];
    if (candidate === undefined) throw new Error("There is no model to ask.");
    return candidate.model;
  }

  rests(): Promise<Cooldowns> {
    this.#reading ??= this.#cooldowns.of(this.#names, Date.now()).finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  rest(name: string, rest: Rest): void {
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
