import { describe, expect, test } from "vitest";
import {
  beginFailover,
  type Cooldown,
  chooseCandidate,
  cooldownAfter,
  cooldownName,
  type FailedAttempt,
  type FailoverState,
  leaveCandidate,
  moveAfter,
  noModelAvailable,
} from "../../src/agent/failover.ts";
import type { Candidate } from "../../src/models/candidates.ts";
import type { ModelError } from "../../src/models/message.ts";

const NOW = 1_000_000;
const MINUTE_MS = 60_000;

const one = (ref: string, profile?: string): Candidate => ({
  model: { ref, contextWindow: 1, maxOutputTokens: 1, stream: () => ({}) as never },
  ...(profile !== undefined && { profile }),
});

const a = one("p/a");
const b = one("q/b");
const c = one("r/c");

const resting = (ms: number, more: Partial<Cooldown> = {}): Cooldown => ({
  failures: 1,
  kind: "rate_limit",
  until: NOW + ms,
  ...more,
});

function among(candidates: Candidate[], more: Partial<FailoverState> = {}): FailoverState {
  return { ...beginFailover(candidates, new Map(), undefined), ...more };
}

const PATIENCE = { times: 2, backoffMs: 1000, chance: 1, waitsForLimits: true };

function after(error: Partial<ModelError>, state: FailoverState, more: Partial<FailedAttempt> = {}) {
  const failed = {
    candidate: a,
    error: { kind: "other", message: "", ...error },
    hasOutput: false,
    restarts: 0,
    attempt: 1,
    tookMs: 10,
  };
  return moveAfter({ ...failed, ...more } as FailedAttempt, state, PATIENCE, NOW);
}

describe("the next failover candidate", () => {
  const cooldowns = (...pairs: [string, number][]) => new Map(pairs.map(([name, ms]) => [name, resting(ms)]));

  test.each<[string, Candidate | undefined, number, Partial<FailoverState>]>([
    ["the first one", a, 0, {}],
    ["the first one without a cooldown", b, 0, { cooldowns: cooldowns(["p/a", MINUTE_MS]) }],
    ["one whose cooldown has ended", a, 0, { cooldowns: cooldowns(["p/a", -1]) }],
    ["the first one that has not failed", b, 0, { excluded: new Set([a]) }],
    [
      "the one whose cooldown ends first, if all have one",
      c,
      5_000,
      { cooldowns: cooldowns(["p/a", 20_000], ["q/b", MINUTE_MS], ["r/c", 5_000]) },
    ],
    [
      "none, if all cooldowns are long",
      undefined,
      0,
      { cooldowns: cooldowns(["p/a", 31_000], ["q/b", 31_000], ["r/c", 31_000]) },
    ],
    [
      "none, if the run times out before",
      undefined,
      0,
      { cooldowns: cooldowns(["p/a", 5_000], ["q/b", 5_000], ["r/c", 5_000]), deadline: NOW + 5_000 },
    ],
    ["none, if all have failed", undefined, 0, { excluded: new Set([a, b, c]) }],
  ])("is %s", (_, candidate, afterMs, more) => {
    const expected = candidate === undefined ? { kind: "none" } : { kind: "ask", candidate, afterMs };
    expect(chooseCandidate(among([a, b, c], more), NOW)).toEqual(expected);
  });

  test("is not one whose key is in cooldown", () => {
    const keyed = [one("p/a", "work"), one("p/a", "home"), one("p/x", "work")];
    const state = among(keyed, { cooldowns: cooldowns(["work", MINUTE_MS], ["home p/a", MINUTE_MS]) });
    expect(chooseCandidate(state, NOW)).toEqual({ kind: "none" });
    expect(
      chooseCandidate({ ...state, cooldowns: cooldowns(["work p/a", MINUTE_MS], ["home", MINUTE_MS]) }, NOW),
    ).toMatchObject({
      candidate: keyed[2],
    });
  });
});

describe("after a failed model call", () => {
  const alone = among([a]);
  const both = among([a, b]);
  const otherRests = among([a, b], { cooldowns: new Map([["q/b", resting(MINUTE_MS)]]) });
  const GIVE_UP = { kind: "give up" };
  const again = (afterMs: number) => ({ kind: "again", afterMs });
  const left = (refusal?: string) => (refusal ? { kind: "leave", refusal } : { kind: "leave" });

  test.each<[string, Partial<ModelError>, FailoverState, object, Partial<FailedAttempt>?]>([
    ["a reply that broke off is begun again", { kind: "overloaded" }, both, again(1000), { hasOutput: true }],
    ["twice at most", { kind: "overloaded" }, alone, GIVE_UP, { hasOutput: true, restarts: 2 }],
    ["then the next model", { kind: "overloaded" }, both, left(), { hasOutput: true, restarts: 2 }],
    ["an endless reply is not begun again", { kind: "other", isFinal: true }, both, GIVE_UP, { hasOutput: true }],
    ["a request that is too long is not repeated", { kind: "overflow" }, both, GIVE_UP],
    ["a malformed request is not sent to another model", { kind: "format" }, both, GIVE_UP],
    ["a refused key gets a cooldown", { kind: "auth", status: 401 }, both, left("auth")],
    ["a key without credit gets a cooldown, even the only one", { kind: "billing" }, alone, left("billing")],
    ["a rate limit is a cooldown if there is another candidate", { kind: "rate_limit" }, both, left("rate_limit")],
    [
      "a short rate limit is a cooldown, too, if there is another candidate",
      { kind: "rate_limit", retryAfterMs: 1 },
      both,
      left("rate_limit"),
    ],
    [
      "a short rate limit of the only candidate is waited for",
      { kind: "rate_limit", retryAfterMs: 10_000 },
      alone,
      again(10_000),
    ],
    [
      "a short rate limit is waited for if all other candidates are in cooldown",
      { kind: "rate_limit", retryAfterMs: 10_000 },
      otherRests,
      again(10_000),
    ],
    [
      "a rate limit of the only candidate is waited for as long as the provider asks",
      { kind: "rate_limit", retryAfterMs: 20_000 },
      alone,
      again(20_000),
    ],
    [
      "a rate limit of over ten minutes is a cooldown",
      { kind: "rate_limit", retryAfterMs: 600_001 },
      alone,
      left("rate_limit"),
    ],
    ["a rate limit of unknown length is retried", { kind: "rate_limit" }, alone, again(1000)],
    [
      "a rate limit of unknown length is a cooldown after the last try",
      { kind: "rate_limit" },
      alone,
      left("rate_limit"),
      { attempt: 3 },
    ],
    ["an overloaded model is asked again", { kind: "overloaded" }, both, again(1000)],
    [
      "the second retry of an overloaded model waits twice as long",
      { kind: "overloaded" },
      both,
      again(2000),
      { attempt: 2 },
    ],
    ["an overloaded model is given up after the last try", { kind: "overloaded" }, both, left(), { attempt: 3 }],
    [
      "an overloaded model is asked again when it says so",
      { kind: "overloaded", retryAfterMs: 30_000 },
      both,
      again(30_000),
    ],
    [
      "an overloaded model that asks for a long wait is given up",
      { kind: "overloaded", retryAfterMs: 30_001 },
      both,
      left(),
    ],
    ["a call that breaks early is repeated", { kind: "timeout" }, both, again(1000)],
    ["a call that took long to fail is not repeated", { kind: "timeout" }, both, left(), { tookMs: 120_000 }],
    [
      "a call is not repeated if the run times out before",
      { kind: "timeout" },
      among([a, b], { deadline: NOW + 900 }),
      left(),
    ],
    ["an unknown failure is retried", { kind: "other" }, both, again(1000)],
    ["a missing model is not retried", { kind: "other", status: 404 }, both, left()],
  ])("%s", (_, error, state, move, more = {}) => {
    expect(after(error, state, more)).toEqual(move);
  });

  test("the pause before a retry is half to all of the backoff", () => {
    const waits = [0, 0.5, 1].map((chance) => {
      const failed = {
        candidate: a,
        error: { kind: "timeout", message: "" },
        hasOutput: false,
        restarts: 0,
        attempt: 1,
        tookMs: 1,
      } as const;
      return moveAfter(failed, both, { ...PATIENCE, chance }, NOW);
    });
    expect(waits).toEqual([again(500), again(750), again(1000)]);
  });

  test("whoever waits for rate limits itself is told of one at once", () => {
    const error: ModelError = { kind: "rate_limit", message: "Slow.", retryAfterMs: 20_000 };
    const failed = { candidate: a, error, hasOutput: false, restarts: 0, attempt: 1, tookMs: 1 };
    expect(moveAfter(failed, alone, { ...PATIENCE, waitsForLimits: false }, NOW)).toEqual(left("rate_limit"));
  });

  test("a model that was given up is not asked with another key, unless its key was refused", () => {
    const [work, home] = [one("p/a", "work"), one("p/a", "home")];
    const failed = {
      candidate: work,
      error: { kind: "timeout", message: "" },
      hasOutput: false,
      restarts: 0,
      attempt: 3,
      tookMs: 1,
    } as const;
    const state = among([work, home, b]);
    expect(chooseCandidate(leaveCandidate(state, failed, undefined, NOW).state, NOW)).toMatchObject({
      candidate: b,
    });
    const refused = leaveCandidate(state, failed, "auth", NOW);
    expect(chooseCandidate(refused.state, NOW)).toMatchObject({ candidate: home });
    expect(refused.cooled).toEqual({ name: "work", cooldown: { failures: 1, kind: "auth", until: NOW + MINUTE_MS } });
  });
});

describe("a cooldown", () => {
  test("is 1, 5, 25 and 60 minutes long, by refusals in a row", () => {
    let rest: Cooldown | undefined;
    let now = NOW;
    const minutes = [1, 2, 3, 4, 5].map(() => {
      rest = cooldownAfter(rest, "auth", undefined, now);
      const length = (rest.until - now) / MINUTE_MS;
      now = rest.until;
      return length;
    });
    expect(minutes).toEqual([1, 5, 25, 60, 60]);
  });

  test("is as long as the provider says, if that is longer, up to a day", () => {
    expect(cooldownAfter(undefined, "rate_limit", 2 * MINUTE_MS, NOW).until).toBe(NOW + 2 * MINUTE_MS);
    expect(cooldownAfter(undefined, "rate_limit", 10, NOW).until).toBe(NOW + MINUTE_MS);
    expect(cooldownAfter(undefined, "rate_limit", 9_000 * MINUTE_MS, NOW).until).toBe(NOW + 24 * 60 * MINUTE_MS);
  });

  test("is not extended by refusals of concurrent calls", () => {
    const first = cooldownAfter(undefined, "rate_limit", undefined, NOW);
    expect(cooldownAfter(first, "rate_limit", undefined, NOW + 100)).toEqual(first);
  });

  test("applies to the whole key only if the key was refused and there is another one", () => {
    const [work, home] = [one("p/a", "work"), one("p/a", "home")];
    expect(cooldownName(work, "auth", [work, home])).toBe("work");
    expect(cooldownName(work, "rate_limit", [work, home])).toBe("work p/a");
    expect(cooldownName(work, "billing", [work, one("p/x", "work"), b])).toBe("work p/a");
    expect(cooldownName(a, "billing", [a, b])).toBe("p/a");
  });
});

describe("the error when no model is available", () => {
  const error = (kind: ModelError["kind"], message: string): ModelError => ({ kind, message, status: 400 });

  test("is the error of the only model, with what to do", () => {
    const said = error("auth", "No.");
    const told = noModelAvailable(among([a], { failures: new Map([[a, said]]) }), NOW);
    expect(told).toMatchObject({ kind: "auth", status: 400 });
    expect(told.message).toMatch(/^p refuses its key: No\. .*\/model.*\/retry/);
  });

  test("names each model once", () => {
    const [work, home] = [one("p/a", "work"), one("p/a", "home")];
    const failures = new Map([
      [work, error("auth", "Wrong key.")],
      [b, error("overloaded", "Busy.")],
    ]);
    const cooldowns = new Map([
      ["home", resting(0, { until: Date.UTC(2026, 10, 21, 10, 5), kind: "billing" })],
      ["r/c", resting(0, { until: Date.UTC(2026, 10, 22, 10, 5) })],
    ]);
    expect(noModelAvailable(among([work, home, b, c], { failures, cooldowns }), NOW)).toEqual({
      kind: "overloaded",
      message: expect.stringMatching(
        /^No model can answer now\.\n- p\/a: p refuses its key: Wrong key\. .*\n- q\/b: q has too much to do: Busy\. .*\n- r\/c: It is in cooldown until 2026-11-22 10:05 UTC \(rate limit\)\.$/,
      ),
    });
  });
});
