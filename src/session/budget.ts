import { DurableObject } from "cloudflare:workers";
import type { Cap } from "../budgets/budget-caps.ts";
import {
  type Bucket,
  type CapUse,
  type Claim,
  type ClaimAnswer,
  capUses,
  claim,
  KEPT_MINUTES,
  settled,
  withoutClaim,
} from "../budgets/budget-state.ts";

/**
 * What one agent, or all of them together, have spent within a day. Whoever wants to call a model asks here first, and
 * one object answers all of them one after the other: so what is spent at the same time is never more than a cap allows.
 *
 * A minute is one value in a ring of a day: every call writes one row at most, and old ones are written over. Every
 * call may be repeated.
 */
export class Budget extends DurableObject<Env> {
  /** By place in the ring; one of yesterday may be left where nothing was spent since. */
  readonly #ring = new Map<number, Bucket>();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    for (const [, bucket] of ctx.storage.kv.list<Bucket>()) this.#ring.set(placeOf(bucket), bucket);
  }

  /** Sets aside what a call is likely to spend, and counts its run, where every cap has room. */
  claim(asked: Claim, caps: readonly Cap[]): ClaimAnswer {
    const outcome = claim(this.#buckets(), asked, caps, Date.now());
    if (!outcome.granted) return outcome;
    this.#store(outcome.changed);
    return { granted: true, countsRun: outcome.countsRun };
  }

  /** Counts what a call has really spent. */
  settle(callId: string, spent: { tokens: number; micros: number }): void {
    const changed = settled(this.#buckets(), callId, spent);
    if (changed !== undefined) this.#store([changed]);
  }

  /** Takes back what was granted and not made use of. */
  giveBack(runId: string | undefined, callId: string | undefined): void {
    this.#store(withoutClaim(this.#buckets(), runId, callId));
  }

  /** How much of each cap is used. */
  uses(caps: readonly Cap[]): CapUse[] {
    return capUses(this.#buckets(), caps, Date.now());
  }

  #buckets(): Bucket[] {
    return [...this.#ring.values()];
  }

  #store(changed: readonly Bucket[]): void {
    for (const bucket of changed) {
      this.ctx.storage.kv.put(String(placeOf(bucket)), bucket);
      this.#ring.set(placeOf(bucket), bucket);
    }
  }
}

function placeOf({ minute }: Bucket): number {
  return minute % KEPT_MINUTES;
}
