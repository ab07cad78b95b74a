import { originRules } from "../config/origins.ts";
import { IsopodError } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { lastAtHour } from "../lib/zone.ts";
import type { ModelLookup } from "../services/model-lookup.ts";
import { agentIn, type Services } from "../services/services.ts";
import { replayCalls, takeResults } from "./client-calls.ts";
import type { EventLog } from "./event-log.ts";
import { userMessage } from "./messages.ts";
import type { EndedConversation, RunStart } from "./run.ts";
import type { RunInput } from "./run-input.ts";
import type { RunRow } from "./runs.ts";
import { type SessionRow, saveActivity, saveConversation } from "./session-row.ts";
import type { Store } from "./store.ts";

/** Dependencies of `startRun`; it runs within the fence. */
export interface StartRunDeps {
  store: Store;
  log: EventLog;
  session: SessionRow;
  /** When conversations reset by time; undefined for never. */
  resetPolicy: ResetPolicy | undefined;
  /** Finds the model that a word names. */
  lookUpModel(word: string): ModelLookup;
  now: number;
}

/**
 * Stores the input of a run in the transcript. A reset begins a new conversation there, and so does a message after the
 * time at which the last conversation ended.
 */
export function startRun(row: RunRow, input: RunInput, deps: StartRunDeps): RunStart {
  const { store, log, now } = deps;
  const { origin } = input;
  if (origin?.kind === "reset") return startReset(row, input, readReset(origin, deps), deps);
  const { session } = deps;
  const { isOnlyResults, ...said } = takeResults(input, deps);
  const message = userMessage(said, { acceptedAt: row.acceptedAt, at: now });
  const startSeq = log.append(row.id, isOnlyResults ? { ...message, aside: true } : message);
  replayCalls(row, input, deps);
  // Results go on with the conversation that asked for them.
  const isFresh = origin !== undefined && "isFresh" in origin && origin.isFresh === true;
  const begun =
    isFresh || (input.results === undefined && isOverBefore(row, input, deps))
      ? startConversation(store, session, startSeq, { now })
      : undefined;
  noteActivity(row, input, deps);
  return { startSeq, sessionId: session.sessionId, ...begun };
}

/** Stores the time of a user's message, where conversations reset by time. Messages of the system do not count. */
export function noteActivity(
  { acceptedAt }: RunRow,
  { origin }: RunInput,
  { store, resetPolicy }: Pick<StartRunDeps, "store" | "resetPolicy">,
): void {
  if (resetPolicy !== undefined && originRules(origin).isActivity) saveActivity(store, acceptedAt);
}

function isOverBefore({ acceptedAt }: RunRow, { origin }: RunInput, { session, resetPolicy }: StartRunDeps): boolean {
  if (resetPolicy === undefined || !originRules(origin).startsByTime) return false;
  return isOver(resetPolicy, session.activeAt, acceptedAt);
}

/** The arguments of `/new` or `/reset`: a model, which only `/new` takes, and the first message. */
interface ResetRequest {
  model?: string;
  text: string;
}

function readReset({ name, args }: { name: string; args: string }, { lookUpModel }: StartRunDeps): ResetRequest {
  const [, word = "", rest = ""] = /^(\S*)\s*([\s\S]*)$/.exec(args) ?? [];
  const named = name === "new" && word !== "" ? lookUpModel(word) : undefined;
  return named?.kind === "model" ? { model: named.ref, text: rest } : { text: args };
}

/**
 * Begins a conversation by command. Without a first message the typed command is stored as an aside, and the turn
 * greets.
 */
function startReset(row: RunRow, input: RunInput, { model, text }: ResetRequest, deps: StartRunDeps): RunStart {
  const { store, log, session, now } = deps;
  const asked = userMessage(text === "" ? input : { ...input, text }, { acceptedAt: row.acceptedAt, at: now });
  const startSeq = log.append(row.id, text === "" ? { ...asked, aside: true } : asked);
  const begun = startConversation(store, session, startSeq, { ...(model !== undefined && { model }), now });
  noteActivity(row, input, deps);
  return { startSeq, ...begun };
}

/**
 * Begins a new conversation under the same key, within the fence. The history stays, but models no longer see it.
 *
 * The model setting is cleared, unless a model is named, and so are the warnings that models were shown. All other
 * settings and approvals stay.
 * @param before the session before the reset
 * @param fromSeq number of the first event of the new conversation
 * @returns its id, and the conversation that ended
 */
export function startConversation(
  store: Store,
  before: SessionRow,
  fromSeq: number,
  { model, now }: { model?: string; now: number },
): { sessionId: string; ended: EndedConversation } {
  const { model: _, truncationWarned: __, ...settings } = before.settings;
  const sessionId = newId("ses", now);
  saveConversation(store, { sessionId, fromSeq, settings: { ...settings, ...(model !== undefined && { model }) } });
  return { sessionId, ended: { sessionId: before.sessionId, fromSeq: before.contextSeq, beforeSeq: fromSeq } };
}

/** When an agent's conversations reset by time; undefined for never, and where the configuration is invalid. */
export function resetPolicyFor(services: () => Services, agentId: string): ResetPolicy | undefined {
  try {
    const { mode, atHour, idleMinutes } = services().config.session.reset;
    if (mode === "none") return undefined;
    const { userTimezone: zone = "UTC" } = agentIn(services(), agentId).defaults;
    return mode === "daily" ? { mode, atHour, zone } : { mode, idleMinutes };
  } catch (error) {
    if (error instanceof IsopodError) return undefined;
    throw error;
  }
}

/** When a conversation ends by itself: at an hour of the day in a time zone, or after a pause. */
export type ResetPolicy = { mode: "daily"; atHour: number; zone: string } | { mode: "idle"; idleMinutes: number };

/**
 * Whether a conversation is over when a message arrives. Instants are milliseconds since the epoch.
 * @param lastActiveAt time of the message before; 0 where it is unknown
 */
export function isOver(policy: ResetPolicy, lastActiveAt: number, at: number): boolean {
  if (lastActiveAt === 0) return false;
  if (policy.mode === "idle") return at - lastActiveAt >= policy.idleMinutes * 60_000;
  return lastActiveAt < lastAtHour(at, policy.atHour, policy.zone);
}
