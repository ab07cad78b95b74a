import { backoffMs, withJitter } from "../lib/backoff.ts";
import { head } from "../lib/text.ts";
import type { Candidate } from "../models/candidates.ts";
import type { ModelError } from "../models/message.ts";
import { providerIn } from "../models/profiles.ts";

const MINUTE_MS = 60_000;
/** How long a key rests after so many refusals in a row; after more, as after the last. */
const RESTS_MS = [1, 5, 25, 60].map((minutes) => minutes * MINUTE_MS);
/** Most time for which a provider can send a key to rest: then it is tried again, whatever was said. */
const LONGEST_REST_MS = 24 * 60 * MINUTE_MS;
/** A limit that is lifted so soon is waited for, where nobody else can be asked. */
const SHORT_LIMIT_MS = 10_000;
/** Longest wait for anything else. */
const LONGEST_WAIT_MS = 30_000;
/** A call that took so long to fail is not made again: there would be no time left for another model. */
const SLOW_MS = 30_000;

/** Why a key is refused. */
export type Refusal = "rate_limit" | "auth" | "billing";

/** One that rests after refusals, until it wakes. */
export interface Rest {
  /** Refusals in a row. */
  failures: number;
  /** The last one. */
  kind: Refusal;
  /** In milliseconds since the epoch; in the past where it is awake, but has not answered since. */
  until: number;
}

/** Who rests, by the names that `restNames` gives. */
export type Cooldowns = ReadonlyMap<string, Rest>;

/** Who may answer in place of a loop's model, and what is known of them. */
export interface Failover {
  /** The preferred one first; at least one. */
  readonly candidates: readonly Candidate[];
  readonly patience: Omit<Patience, "chance">;
  /** When the run has to be done; undefined where it has all the time. */
  readonly deadline: number | undefined;
  /** Who rests, as far as it is known. Never rejects. */
  rests(): Promise<Cooldowns>;
  /** Lets one rest, for everybody. Never throws. */
  rest(name: string, rest: Rest): void;
  /** One has answered: it is the preferred one from now on, and its refusals are forgotten, by these names. Never throws. */
  answered(candidate: Candidate, forgiven: readonly string[]): void;
  /** From 0 to 1. */
  chance(): number;
}

/** How an answer stands. */
export interface Standing {
  /** Who may give it, the preferred one first. */
  candidates: readonly Candidate[];
  rests: Cooldowns;
  /** What those who were left said last. */
  failures: ReadonlyMap<Candidate, ModelError>;
  /** Those who are not asked any more. */
  spent: ReadonlySet<Candidate>;
  /** When the run has to be done; undefined where it has all the time. */
  deadline: number | undefined;
}

/** Whom to ask next, and after which wait; nobody where all have failed or rest for long. */
export type Choice = { kind: "ask"; candidate: Candidate; afterMs: number } | { kind: "nobody" };

/** How an answer stands before anybody was asked. */
export function begin(candidates: readonly Candidate[], rests: Cooldowns, deadline: number | undefined): Standing {
  return { candidates, rests, failures: new Map(), spent: new Set(), deadline };
}

/** The first that is awake; where all rest, the one that wakes first, if that is soon. */
export function choose(standing: Standing, now: number): Choice {
  const { candidates, rests, spent } = standing;
  const [first] = candidates
    .filter((candidate) => !spent.has(candidate))
    .map((candidate) => ({ candidate, afterMs: Math.max(0, wakesAt(candidate, rests) - now) }))
    .toSorted((a, b) => a.afterMs - b.afterMs);
  const isSoon = first !== undefined && first.afterMs <= LONGEST_WAIT_MS && fits(first.afterMs, standing, now);
  return isSoon ? { kind: "ask", ...first } : { kind: "nobody" };
}

/** An attempt that failed. */
export interface Failed {
  candidate: Candidate;
  error: ModelError;
  /** Whether people were shown anything of it. */
  said: boolean;
  /** Which attempt in a row it was, from 1. */
  attempt: number;
  tookMs: number;
}

/** How often and how soon the same model is asked again. */
export interface Patience {
  times: number;
  /** Before the first time; twice as long before each further one. */
  backoffMs: number;
  /** From 0 to 1, so that many who fail at once do not come back at once. */
  chance: number;
}

/**
 * What to do about a failed attempt: end with it; ask the same candidate again; or leave it for this answer, and let
 * its key rest for a while or not.
 */
export type Move = { kind: "give up" } | { kind: "again"; afterMs: number } | { kind: "leave"; refusal?: Refusal };

/** The rules. Nothing is asked again that has spoken, or that would fail anywhere; whoever refuses us, rests. */
export function moveAfter(failed: Failed, standing: Standing, patience: Patience, now: number): Move {
  const { error, said } = failed;
  if (said) return { kind: "give up" };
  switch (error.kind) {
    case "overflow":
    case "format":
      return { kind: "give up" };
    case "auth":
    case "billing":
      return { kind: "leave", refusal: error.kind };
    case "rate_limit": {
      const repeated = isAlone(failed, standing, now)
        ? again(failed, standing, patience, SHORT_LIMIT_MS, now)
        : undefined;
      return repeated ?? { kind: "leave", refusal: error.kind };
    }
    default:
      return again(failed, standing, patience, LONGEST_WAIT_MS, now) ?? { kind: "leave" };
  }
}

/** Asking the same once more, where that may help, is not too often and not too late. */
function again(
  failed: Failed,
  standing: Standing,
  patience: Patience,
  longestMs: number,
  now: number,
): Move | undefined {
  const { error, attempt, tookMs } = failed;
  if (attempt > patience.times || tookMs >= SLOW_MS || isFinal(error)) return undefined;
  const pauseMs = withJitter(backoffMs(attempt - 1, { firstMs: patience.backoffMs }), patience.chance, [0.5, 1]);
  const afterMs = Math.max(pauseMs, error.retryAfterMs ?? 0);
  return afterMs <= longestMs && fits(afterMs, standing, now) ? { kind: "again", afterMs } : undefined;
}

/** Whether nobody else is awake. */
function isAlone({ candidate }: Failed, standing: Standing, now: number): boolean {
  const choice = choose({ ...standing, spent: new Set([...standing.spent, candidate]) }, now);
  return choice.kind === "nobody" || choice.afterMs > 0;
}

/** A refusal that no time will change, such as that of a model that is not there. */
function isFinal({ kind, status = 0 }: ModelError): boolean {
  return kind === "other" && status >= 400 && status < 500;
}

function fits(ms: number, { deadline }: Standing, now: number): boolean {
  return deadline === undefined || now + ms < deadline;
}

/**
 * How an answer stands once a candidate was left, and what rests because of it. Where no key was refused, the model's
 * other keys would not help.
 */
export function leave(
  standing: Standing,
  { candidate, error }: Failed,
  refusal: Refusal | undefined,
  now: number,
): { standing: Standing; rested?: { name: string; rest: Rest } } {
  const { candidates } = standing;
  const failures = new Map([...standing.failures, [candidate, error]]);
  if (refusal === undefined) {
    const spent = candidates.filter(({ model }) => model.ref === candidate.model.ref);
    return { standing: { ...standing, failures, spent: new Set([...standing.spent, ...spent]) } };
  }
  const name = restName(candidate, refusal, candidates);
  const rest = restAfter(standing.rests.get(name), refusal, error.retryAfterMs, now);
  const rests = new Map([...standing.rests, [name, rest]]);
  const spent = new Set([...standing.spent, candidate]);
  return { standing: { ...standing, failures, spent, rests }, rested: { name, rest } };
}

/** How a candidate rests after one more refusal. One that comes while it rests already does not count anew. */
export function restAfter(
  before: Rest | undefined,
  kind: Refusal,
  retryAfterMs: number | undefined,
  now: number,
): Rest {
  const told = Math.min(retryAfterMs ?? 0, LONGEST_REST_MS);
  if (before !== undefined && before.until > now) return { ...before, kind, until: Math.max(before.until, now + told) };
  const failures = Math.min((before?.failures ?? 0) + 1, RESTS_MS.length);
  return { failures, kind, until: now + Math.max(RESTS_MS[failures - 1] ?? 0, told) };
}

/** When a candidate wakes; 0 where it does not rest. */
export function wakesAt(candidate: Candidate, rests: Cooldowns): number {
  return Math.max(0, ...restNames(candidate).map((name) => rests.get(name)?.until ?? 0));
}

/** The names under which a candidate may rest: its key with this model and, where the key has a name, its key. */
export function restNames({ model, profile }: Candidate): string[] {
  return profile === undefined ? [model.ref] : [`${profile} ${model.ref}`, profile];
}

/** Those of a candidate's names under which something is noted. */
export function namesAtRest(candidate: Candidate, rests: Cooldowns): string[] {
  return restNames(candidate).filter((name) => rests.has(name));
}

/**
 * The name under which a candidate rests after a refusal. Limits are often those of a model, so another one may be
 * asked with the same key. A key that is refused or out of money rests as a whole where its provider has others; the
 * only one is tried with every model.
 */
export function restName(candidate: Candidate, kind: Refusal, candidates: readonly Candidate[]): string {
  const { model, profile } = candidate;
  const [own = model.ref, wide = own] = restNames(candidate);
  const provider = providerIn(model.ref);
  const hasOthers = candidates.some((other) => providerIn(other.model.ref) === provider && other.profile !== profile);
  return kind !== "rate_limit" && hasOthers ? wide : own;
}

const MAX_CHARS = 2000;

/**
 * Why nobody answered: of each model what it said last or, where it was not asked, until when it rests. The only one
 * that there is speaks for itself.
 */
export function noModelAvailable({ candidates, failures, rests }: Standing): ModelError {
  const last = [...failures.values()].at(-1);
  if (last !== undefined && candidates.length === 1) return last;
  const reasons = new Map<string, string>();
  for (const candidate of candidates) {
    const { ref } = candidate.model;
    const error = failures.get(candidate);
    if (error !== undefined) reasons.set(ref, `${ref} failed (${words(error.kind)}): ${error.message}`);
    else if (wakesAt(candidate, rests) > 0 && !reasons.has(ref))
      reasons.set(ref, `${ref} ${resting(candidate, rests)}`);
  }
  const message = head(`No model can answer now. ${[...reasons.values()].join("; ")}`, MAX_CHARS);
  return { kind: last?.kind ?? kindOf(candidates, rests), message };
}

function resting(candidate: Candidate, rests: Cooldowns): string {
  const until = new Date(wakesAt(candidate, rests)).toISOString();
  return `rests until ${until.slice(0, 10)} ${until.slice(11, 16)} UTC (${words(kindOf([candidate], rests))})`;
}

/** Why the one that wakes first rests. */
function kindOf(candidates: readonly Candidate[], rests: Cooldowns): ModelError["kind"] {
  const known = candidates.flatMap(restNames).flatMap((name) => rests.get(name) ?? []);
  return known.toSorted((a, b) => b.until - a.until).at(0)?.kind ?? "other";
}

function words(kind: ModelError["kind"]): string {
  return kind.replace("_", " ");
}
