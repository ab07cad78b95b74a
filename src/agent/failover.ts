import { backoffMs, withJitter } from "../lib/backoff.ts";
import { head } from "../lib/text.ts";
import type { Candidate } from "../models/candidates.ts";
import { explained } from "../models/error-advice.ts";
import type { ModelError } from "../models/message.ts";
import { providerIn } from "../models/profiles.ts";

const MINUTE_MS = 60_000;
/** The cooldown after the first, second, third and each further refusal in a row. */
const COOLDOWNS_MS = [1, 5, 25, 60].map((minutes) => minutes * MINUTE_MS);
/** The longest cooldown that a provider can ask for. */
const LONGEST_COOLDOWN_MS = 24 * 60 * MINUTE_MS;
/** A rate limit that ends this soon is waited for if no other candidate is available. */
const SHORT_LIMIT_MS = 10_000;
/** The same where the provider itself said when it ends, as long as the run has the time. */
const LONGEST_ASKED_WAIT_MS = 10 * MINUTE_MS;
/** The longest pause before any other retry. */
const LONGEST_WAIT_MS = 30_000;
/** A call that took this long to fail is not repeated where another model can be asked: it would have no time left. */
const SLOW_MS = 30_000;
/** How often a reply is begun again after people have seen a part of it. */
const MAX_RESTARTS = 2;

/** Why a provider refuses a key. */
export type ModelRefusal = "rate_limit" | "auth" | "billing";

/** The cooldown of a key, or of a key with one model, after refusals. */
export interface Cooldown {
  /** Refusals in a row. */
  failures: number;
  /** The last refusal. */
  kind: ModelRefusal;
  /** The end, in milliseconds since the epoch; in the past if no call has succeeded since it ended. */
  until: number;
}

/** Cooldowns by the names of `cooldownNames`. */
export type Cooldowns = ReadonlyMap<string, Cooldown>;

/** The models that may answer in place of a loop's model, and their cooldowns. */
export interface Failover {
  /** At least one, the preferred one first. */
  readonly candidates: readonly Candidate[];
  readonly retry: Omit<RetryPolicy, "chance">;
  /** When the run times out; undefined if it has no time limit. */
  readonly deadline: number | undefined;
  /** The known cooldowns. Never rejects. */
  cooldowns(): Promise<Cooldowns>;
  /** Stores a cooldown for all sessions. Never throws. */
  coolDown(name: string, cooldown: Cooldown): void;
  /** Makes a candidate that answered the preferred one and deletes its cooldowns by these names. Never throws. */
  answered(candidate: Candidate, forgiven: readonly string[]): void;
  /** A random number from 0 to 1. */
  chance(): number;
}

/** The state of one reply's failover. */
export interface FailoverState {
  /** The preferred one first. */
  candidates: readonly Candidate[];
  cooldowns: Cooldowns;
  /** The last errors of the candidates that were given up. */
  failures: ReadonlyMap<Candidate, ModelError>;
  /** Candidates that are not asked again. */
  excluded: ReadonlySet<Candidate>;
  /** When the run times out; undefined if it has no time limit. */
  deadline: number | undefined;
}

/** The candidate to ask next and the pause before it; `none` if all have failed or are in a long cooldown. */
export type Choice = { kind: "ask"; candidate: Candidate; afterMs: number } | { kind: "none" };

/** The state before the first attempt. */
export function beginFailover(
  candidates: readonly Candidate[],
  cooldowns: Cooldowns,
  deadline: number | undefined,
): FailoverState {
  return { candidates, cooldowns, failures: new Map(), excluded: new Set(), deadline };
}

/** The first candidate without a cooldown; if there is none, the one whose cooldown ends first, if that is soon. */
export function chooseCandidate(state: FailoverState, now: number): Choice {
  const { candidates, cooldowns, excluded } = state;
  const [first] = candidates
    .filter((candidate) => !excluded.has(candidate))
    .map((candidate) => ({ candidate, afterMs: Math.max(0, cooldownEndsAt(candidate, cooldowns) - now) }))
    .toSorted((a, b) => a.afterMs - b.afterMs);
  const isSoon = first !== undefined && first.afterMs <= LONGEST_WAIT_MS && fits(first.afterMs, state, now);
  return isSoon ? { kind: "ask", ...first } : { kind: "none" };
}

/** An attempt that failed. */
export interface FailedAttempt {
  candidate: Candidate;
  error: ModelError;
  /** Whether it produced output that people may have seen. */
  hasOutput: boolean;
  /** How often the reply was begun again after output. */
  restarts: number;
  /** The number of the attempt with this candidate, from 1. */
  attempt: number;
  tookMs: number;
}

/** How often and how soon the same model is asked again. */
export interface RetryPolicy {
  times: number;
  /** The pause before the first retry; it doubles with each further one. */
  backoffMs: number;
  /** A random number from 0 to 1 that spreads retries. */
  chance: number;
  /** Whether a rate limit is waited for as long as the provider asks. */
  waitsForLimits: boolean;
}

/**
 * What follows a failed attempt: end with its error, ask the same candidate again, or go on to another one, with a
 * cooldown if the key was refused.
 */
export type Move = { kind: "give up" } | { kind: "again"; afterMs: number } | { kind: "leave"; refusal?: ModelRefusal };

/**
 * Decides what follows a failed attempt. A call that would fail with any model is not repeated. A reply that broke off
 * or stalled after its first words is begun again, twice at most, and then by the next model.
 */
export function moveAfter(failed: FailedAttempt, state: FailoverState, retry: RetryPolicy, now: number): Move {
  const { error, hasOutput, restarts } = failed;
  if (hasOutput && error.isFinal) return { kind: "give up" };
  if (hasOutput && restarts >= MAX_RESTARTS) {
    return isLastCandidate(failed, state, now) ? { kind: "give up" } : { kind: "leave" };
  }
  switch (error.kind) {
    case "overflow":
    case "format":
      return { kind: "give up" };
    case "auth":
    case "billing":
      return { kind: "leave", refusal: error.kind };
    case "rate_limit": {
      const isAsked = retry.waitsForLimits && error.retryAfterMs !== undefined;
      const longestMs = isAsked ? LONGEST_ASKED_WAIT_MS : SHORT_LIMIT_MS;
      const repeated = isLastCandidate(failed, state, now)
        ? retryMove(failed, state, retry, longestMs, now)
        : undefined;
      return repeated ?? { kind: "leave", refusal: error.kind };
    }
    default:
      return retryMove(failed, state, retry, LONGEST_WAIT_MS, now) ?? { kind: "leave" };
  }
}

/** A retry with the same candidate, if it may help and there is time and a try left. */
function retryMove(
  failed: FailedAttempt,
  state: FailoverState,
  retry: RetryPolicy,
  longestMs: number,
  now: number,
): Move | undefined {
  const { error, attempt, tookMs } = failed;
  if (attempt > retry.times || isFinal(error)) return undefined;
  if (tookMs >= SLOW_MS && !isLastCandidate(failed, state, now)) return undefined;
  const pauseMs = withJitter(backoffMs(attempt - 1, { firstMs: retry.backoffMs }), retry.chance, [0.5, 1]);
  const afterMs = Math.max(pauseMs, error.retryAfterMs ?? 0);
  return afterMs <= longestMs && fits(afterMs, state, now) ? { kind: "again", afterMs } : undefined;
}

/** Whether no other candidate is available now. */
function isLastCandidate({ candidate }: FailedAttempt, state: FailoverState, now: number): boolean {
  const choice = chooseCandidate({ ...state, excluded: new Set([...state.excluded, candidate]) }, now);
  return choice.kind === "none" || choice.afterMs > 0;
}

/** A failure that no retry can change, such as an unknown model. */
function isFinal({ kind, status = 0, isFinal: isSaid }: ModelError): boolean {
  if (isSaid) return true;
  return kind === "other" && status >= 400 && status < 500;
}

function fits(ms: number, { deadline }: FailoverState, now: number): boolean {
  return deadline === undefined || now + ms < deadline;
}

/**
 * The state after a candidate was given up, and its cooldown. If its key was not refused, the model's other keys are
 * excluded too, because they would fail as well.
 */
export function leaveCandidate(
  state: FailoverState,
  { candidate, error }: FailedAttempt,
  refusal: ModelRefusal | undefined,
  now: number,
): { state: FailoverState; cooled?: { name: string; cooldown: Cooldown } } {
  const { candidates } = state;
  const failures = new Map([...state.failures, [candidate, error]]);
  if (refusal === undefined) {
    const excluded = candidates.filter(({ model }) => model.ref === candidate.model.ref);
    return { state: { ...state, failures, excluded: new Set([...state.excluded, ...excluded]) } };
  }
  const name = cooldownName(candidate, refusal, candidates);
  const cooldown = cooldownAfter(state.cooldowns.get(name), refusal, error.retryAfterMs, now);
  const cooldowns = new Map([...state.cooldowns, [name, cooldown]]);
  const excluded = new Set([...state.excluded, candidate]);
  return { state: { ...state, failures, excluded, cooldowns }, cooled: { name, cooldown } };
}

/** The cooldown after one more refusal. A refusal during a cooldown does not count as another failure. */
export function cooldownAfter(
  before: Cooldown | undefined,
  kind: ModelRefusal,
  retryAfterMs: number | undefined,
  now: number,
): Cooldown {
  const askedMs = Math.min(retryAfterMs ?? 0, LONGEST_COOLDOWN_MS);
  if (before !== undefined && before.until > now)
    return { ...before, kind, until: Math.max(before.until, now + askedMs) };
  const failures = Math.min((before?.failures ?? 0) + 1, COOLDOWNS_MS.length);
  return { failures, kind, until: now + Math.max(COOLDOWNS_MS[failures - 1] ?? 0, askedMs) };
}

/** The end of a candidate's cooldown; 0 without one. */
export function cooldownEndsAt(candidate: Candidate, cooldowns: Cooldowns): number {
  return Math.max(0, ...cooldownNames(candidate).map((name) => cooldowns.get(name)?.until ?? 0));
}

/**
 * The names of a candidate's possible cooldowns: its key with this model and, if the key has a profile, the profile.
 */
export function cooldownNames({ model, profile }: Candidate): string[] {
  return profile === undefined ? [model.ref] : [`${profile} ${model.ref}`, profile];
}

/** The names of a candidate's stored cooldowns. */
export function activeCooldownNames(candidate: Candidate, cooldowns: Cooldowns): string[] {
  return cooldownNames(candidate).filter((name) => cooldowns.has(name));
}

/**
 * The name of the cooldown after a refusal. Rate limits often belong to a model, so the key stays usable with other
 * models. A key that is unauthorized or out of credit cools down as a whole if its provider has other keys; the only
 * key is tried with every model.
 */
export function cooldownName(candidate: Candidate, kind: ModelRefusal, candidates: readonly Candidate[]): string {
  const { model, profile } = candidate;
  const [ownName = model.ref, wideName = ownName] = cooldownNames(candidate);
  const provider = providerIn(model.ref);
  const hasOthers = candidates.some((other) => providerIn(other.model.ref) === provider && other.profile !== profile);
  return kind !== "rate_limit" && hasOthers ? wideName : ownName;
}

const MAX_CHARS = 2000;

/**
 * The error of a reply that no model could give: for each model its last error or the end of its cooldown. A single
 * candidate's error is returned unchanged.
 */
export function noModelAvailable({ candidates, failures, cooldowns }: FailoverState, now: number): ModelError {
  const last = [...failures.values()].at(-1);
  const [first] = candidates;
  if (last !== undefined && first !== undefined && candidates.length === 1) return explained(last, first.model);
  const reasons = new Map<string, string>();
  for (const candidate of candidates) {
    const { ref } = candidate.model;
    const error = failures.get(candidate);
    if (error !== undefined) reasons.set(ref, `${ref}: ${explained(error, candidate.model).message}`);
    else if (cooldownEndsAt(candidate, cooldowns) > 0 && !reasons.has(ref))
      reasons.set(ref, `${ref}: ${cooldownText(candidate, cooldowns)}`);
  }
  const message = head(["No model can answer now.", ...reasons.values()].join("\n- "), MAX_CHARS);
  const kind = last?.kind ?? longestCooldownKind(candidates, cooldowns);
  if (kind !== "rate_limit") return { kind, message };
  const ends = candidates.map((candidate) => cooldownEndsAt(candidate, cooldowns)).filter((until) => until > now);
  const retryAfterMs = last?.retryAfterMs ?? (ends.length > 0 ? Math.min(...ends) - now : undefined);
  return { kind, message, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

function cooldownText(candidate: Candidate, cooldowns: Cooldowns): string {
  const until = new Date(cooldownEndsAt(candidate, cooldowns)).toISOString();
  const why = longestCooldownKind([candidate], cooldowns).replace("_", " ");
  return `It is in cooldown until ${until.slice(0, 10)} ${until.slice(11, 16)} UTC (${why}).`;
}

/** The reason of the cooldown that ends last. */
function longestCooldownKind(candidates: readonly Candidate[], cooldowns: Cooldowns): ModelError["kind"] {
  const known = candidates.flatMap(cooldownNames).flatMap((name) => cooldowns.get(name) ?? []);
  return known.toSorted((a, b) => b.until - a.until).at(0)?.kind ?? "other";
}
