import { describe, expect, test } from "vitest";
import { type Cap, DAY, HOUR, type Spending } from "../../src/budgets/budget-caps.ts";
import {
  type Bucket,
  type Claim,
  type ClaimOutcome,
  capUses,
  claim,
  KEPT_MINUTES,
  LAPSE_MS,
  settled,
  withoutClaim,
} from "../../src/budgets/budget-state.ts";

const MINUTE = 60_000;
const START = 1_000_000 * MINUTE;

/** A budget in memory, as the object keeps it: a ring of minutes. */
class Ledger {
  readonly ring = new Map<number, Bucket>();
  writes = 0;
  #calls = 0;

  get buckets(): Bucket[] {
    return [...this.ring.values()];
  }

  store(changed: readonly Bucket[]): void {
    this.writes += changed.length;
    for (const bucket of changed) this.ring.set(bucket.minute % KEPT_MINUTES, bucket);
  }

  claim(asked: Partial<Claim>, caps: Cap[], now: number): ClaimOutcome {
    const outcome = claim(this.buckets, { runId: "run", startedAt: now, takesOver: false, ...asked }, caps, now);
    if (outcome.granted) this.store(outcome.changed);
    return outcome;
  }

  settle(callId: string, tokens: number, micros = 0): void {
    const bucket = settled(this.buckets, callId, { tokens, micros });
    if (bucket) this.store([bucket]);
  }

  /** A whole call that used so many tokens. */
  spend(tokens: number, now: number): void {
    const callId = `spent_${this.#calls++}`;
    this.claim({ runId: callId, call: { callId, tokens: 0, micros: 0 } }, [], now);
    this.settle(callId, tokens);
  }
}

const cap = (of: Spending, minutes: number, limit: number): Cap => ({ of, minutes, limit });
const call = (callId: string, tokens: number, micros = 0) => ({ call: { callId, tokens, micros } });

describe("runs", () => {
  test("as many begin within an hour as its cap says, and the next when the first is an hour old", () => {
    const ledger = new Ledger();
    const caps = [cap("runs", HOUR, 2)];
    expect(ledger.claim({ runId: "a" }, caps, START)).toMatchObject({ granted: true, countsRun: true });
    expect(ledger.claim({ runId: "b" }, caps, START + 10 * MINUTE)).toMatchObject({ granted: true });
    const refused = ledger.claim({ runId: "c" }, caps, START + 20 * MINUTE);
    expect(refused).toMatchObject({ granted: false, full: { wanted: 1, roomAt: START + 61 * MINUTE } });
    expect(ledger.claim({ runId: "c" }, caps, START + 61 * MINUTE - 1)).toMatchObject({ granted: false });
    expect(ledger.claim({ runId: "c" }, caps, START + 61 * MINUTE)).toMatchObject({ granted: true });
  });

  test("one counts once, however often it goes on", () => {
    const ledger = new Ledger();
    const caps = [cap("runs", DAY, 1)];
    ledger.claim({ runId: "a", startedAt: START }, caps, START);
    const again = ledger.claim({ runId: "a", startedAt: START }, caps, START + 5 * HOUR * MINUTE);
    expect(again).toMatchObject({ granted: true, countsRun: false, changed: [] });
  });

  test("a run that began more than a day ago no longer counts when it goes on", () => {
    const ledger = new Ledger();
    const later = START + 3 * DAY * MINUTE;
    const outcome = ledger.claim({ runId: "a", startedAt: START }, [cap("runs", DAY, 0)], later);
    expect(outcome).toMatchObject({ granted: true, countsRun: false });
  });

  test("what is no run counts for its tokens alone", () => {
    const ledger = new Ledger();
    const caps = [cap("runs", HOUR, 0), cap("tokens", HOUR, 100)];
    expect(ledger.claim({ startedAt: undefined, ...call("1", 60) }, caps, START)).toMatchObject({ granted: true });
    expect(ledger.claim({ startedAt: undefined, ...call("2", 60) }, caps, START)).toMatchObject({ granted: false });
  });

  test("a cap of 0 never has room", () => {
    const outcome = new Ledger().claim({}, [cap("runs", HOUR, 0)], START);
    expect(outcome).toMatchObject({ granted: false, full: { roomAt: undefined } });
  });
});

describe("tokens and money", () => {
  test("what is set aside counts until it is settled, then what was spent", () => {
    const ledger = new Ledger();
    const caps = [cap("tokens", HOUR, 100)];
    expect(ledger.claim(call("1", 60), caps, START)).toMatchObject({ granted: true });
    expect(ledger.claim(call("2", 60), caps, START)).toMatchObject({ granted: false });
    ledger.settle("1", 40);
    expect(ledger.claim(call("2", 60), caps, START)).toMatchObject({ granted: true });
    expect(capUses(ledger.buckets, caps, START)).toEqual([
      { cap: caps[0], spent: 40, reserved: 60, isFull: true, roomAt: START + LAPSE_MS },
    ]);
  });

  test("a call that is claimed again, or settled again, counts once", () => {
    const ledger = new Ledger();
    const caps = [cap("tokens", HOUR, 100)];
    ledger.claim(call("1", 60), caps, START);
    expect(ledger.claim(call("1", 60), caps, START)).toMatchObject({ granted: true, changed: [] });
    ledger.settle("1", 40);
    ledger.settle("1", 40);
    expect(capUses(ledger.buckets, caps, START)).toMatchObject([{ spent: 40, reserved: 0 }]);
  });

  test("what was set aside lapses where nobody settles it, and is counted where somebody does so late", () => {
    const ledger = new Ledger();
    const caps = [cap("tokens", HOUR, 100)];
    ledger.claim(call("1", 100), caps, START);
    const full = ledger.claim(call("2", 10), caps, START + LAPSE_MS - 1);
    expect(full).toMatchObject({ granted: false, full: { roomAt: START + LAPSE_MS } });
    expect(ledger.claim(call("2", 10), caps, START + LAPSE_MS)).toMatchObject({ granted: true });
    ledger.settle("1", 95);
    expect(capUses(ledger.buckets, caps, START + LAPSE_MS)).toMatchObject([{ spent: 95, reserved: 10, isFull: true }]);
  });

  test("an object that takes a run over gives up what the one before had set aside for it, and for no other", () => {
    const ledger = new Ledger();
    const caps = [cap("tokens", HOUR, 100)];
    ledger.claim({ runId: "a", ...call("1", 60) }, caps, START);
    ledger.claim({ runId: "b", ...call("2", 30) }, caps, START + MINUTE);
    const outcome = ledger.claim({ runId: "a", ...call("3", 60), takesOver: true }, caps, START + 2 * MINUTE);
    expect(outcome).toMatchObject({ granted: true });
    expect(capUses(ledger.buckets, caps, START + 2 * MINUTE)).toMatchObject([{ spent: 0, reserved: 90 }]);
  });

  test("what was given up is counted all the same where it is settled after all", () => {
    const ledger = new Ledger();
    const caps = [cap("tokens", HOUR, 100)];
    ledger.claim(call("1", 60), caps, START);
    ledger.claim({ ...call("2", 60), takesOver: true }, caps, START);
    ledger.settle("1", 30);
    expect(capUses(ledger.buckets, caps, START)).toMatchObject([{ spent: 30, reserved: 60 }]);
  });

  test("money has its own caps, and what costs nothing is never refused for them", () => {
    const ledger = new Ledger();
    const caps = [cap("micros", DAY, 1000)];
    expect(ledger.claim(call("1", 5, 800), caps, START)).toMatchObject({ granted: true });
    expect(ledger.claim(call("2", 5, 800), caps, START)).toMatchObject({ granted: false, full: { wanted: 800 } });
    expect(ledger.claim(call("3", 5, 0), [cap("micros", DAY, 0)], START)).toMatchObject({ granted: true });
  });

  test("a call that would not fit into an empty budget has no time at which it will", () => {
    const outcome = new Ledger().claim(call("1", 101), [cap("tokens", HOUR, 100)], START);
    expect(outcome).toMatchObject({ granted: false, full: { wanted: 101, roomAt: undefined } });
  });

  test("of several caps that are full the one is named that has to be waited for longest", () => {
    const ledger = new Ledger();
    ledger.spend(100, START);
    const caps = [cap("tokens", HOUR, 100), cap("tokens", DAY, 100), cap("runs", HOUR, 9)];
    const outcome = ledger.claim(call("1", 1), caps, START);
    expect(outcome).toMatchObject({ full: { cap: caps[1], roomAt: START + (DAY + 1) * MINUTE } });
  });

  test("there is room as soon as enough of what was spent is old, and not before", () => {
    const ledger = new Ledger();
    for (const minute of [0, 10, 20]) ledger.spend(30, START + minute * MINUTE);
    const outcome = ledger.claim(call("1", 70), [cap("tokens", HOUR, 100)], START + 30 * MINUTE);
    expect(outcome).toMatchObject({ full: { roomAt: START + (10 + 61) * MINUTE } });
  });

  test("a claim that is given back counts for nothing, neither its call nor its run", () => {
    const ledger = new Ledger();
    ledger.claim({ runId: "a", ...call("1", 60) }, [], START);
    ledger.store(withoutClaim(ledger.buckets, "a", "1"));
    const caps = [cap("tokens", HOUR, 100), cap("runs", HOUR, 1)];
    expect(capUses(ledger.buckets, caps, START).map(({ spent, reserved }) => spent + reserved)).toEqual([0, 0]);
    expect(withoutClaim(ledger.buckets, "a", "1")).toEqual([]);
  });
});

describe("the window", () => {
  test("within no 60 minutes, wherever they begin, is more spent than the cap allows", () => {
    const ledger = new Ledger();
    const caps = [cap("tokens", HOUR, 100)];
    const spent: { at: number; tokens: number }[] = [];
    for (let at = START; at < START + 5 * HOUR * MINUTE; at += 37_000) {
      const callId = `call_${at}`;
      const tokens = 7 + (at % 11);
      if (!ledger.claim({ runId: callId, ...call(callId, tokens) }, caps, at).granted) continue;
      ledger.settle(callId, tokens);
      spent.push({ at, tokens });
    }
    for (const { at: from } of spent) {
      const within = spent.filter(({ at }) => at >= from && at < from + HOUR * MINUTE);
      expect(within.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(100);
    }
    expect(spent.length).toBeGreaterThan(20);
  });

  test("what is older than a day is written over, and the ring does not grow", () => {
    const ledger = new Ledger();
    for (let minute = 0; minute < 3 * DAY; minute++) ledger.spend(1, START + minute * MINUTE);
    expect(ledger.ring.size).toBe(KEPT_MINUTES);
    expect(capUses(ledger.buckets, [cap("tokens", DAY, 9e9)], START + (3 * DAY - 1) * MINUTE)).toMatchObject([
      { spent: KEPT_MINUTES },
    ]);
  });

  test("a claim writes one minute, and so does its settling", () => {
    const ledger = new Ledger();
    ledger.claim({ takesOver: true, ...call("1", 10) }, [cap("tokens", HOUR, 100)], START);
    expect(ledger.writes).toBe(1);
    ledger.settle("1", 10);
    expect(ledger.writes).toBe(2);
    ledger.settle("1", 10);
    expect(ledger.writes).toBe(2);
  });
});
