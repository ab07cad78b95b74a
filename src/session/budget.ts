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
 * The spending of one agent, or of all agents together, within a day. Every model call is claimed here first. One
 * object handles all claims one after the other, so concurrent spending never exceeds a cap.
 *
 * A minute is one value in a ring of a day: each call writes at most one row, and old minutes are overwritten. Every
 * call may be repeated.
 */
export class Budget extends DurableObject<Env> {
  /** By place in the ring. A bucket of yesterday may remain where nothing has been spent since. */
  readonly #ring = new Map<number, Bucket>();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    for (const [, bucket] of ctx.storage.kv.list<Bucket>()) this.#ring.set(placeOf(bucket), bucket);
  }

  /** Reserves the likely cost of a call, and counts its run, if no cap is exceeded. */
  claim(asked: Claim, caps: readonly Cap[]): ClaimAnswer {
    const outcome = claim(this.#buckets(), asked, caps, Date.now());
    if (!outcome.granted) return outcome;
    this.#store(outcome.changed);
    return { granted: true, countsRun: outcome.countsRun };
  }

  /** Replaces a reservation by the actual cost of the call. */
  settle(callId: string, spent: { tokens: number; micros: number }): void {
    const changed = settled(this.#buckets(), callId, spent);
    if (changed !== undefined) this.#store([changed]);
  }

  /** Returns a grant that was not used. */
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
