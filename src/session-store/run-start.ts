import { IsopodError } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { lastAtHour } from "../lib/zone.ts";
import type { ModelLookup } from "../services/model-lookup.ts";
import { agentIn, type Services } from "../services/services.ts";
import type { EventLog } from "./event-log.ts";
import { userMessage } from "./messages.ts";
import type { EndedConversation, RunInput, RunStart } from "./run.ts";
import type { RunRow } from "./runs.ts";
import { type SessionRow, saveActivity, saveConversation } from "./session-row.ts";
import type { Store } from "./store.ts";

/** What the beginning of a run is written with, within the fence. */
export interface StartRunDeps {
  store: Store;
  log: EventLog;
  owner: SessionRow;
  /** When conversations begin anew by themselves; undefined for never. */
  resetPolicy: ResetPolicy | undefined;
  /** The model that a word names. */
  lookUpModel(word: string): ModelLookup;
  now: number;
}

/**
 * Puts what a run was asked into the transcript. A new conversation begins there where that asks for it, or where
 * somebody speaks after the time at which the last one was over.
 */
export function startRun(row: RunRow, input: RunInput, deps: StartRunDeps): RunStart {
  const { store, log, now } = deps;
  const { origin } = input;
  if (origin?.kind === "reset") return startReset(row, input, readReset(origin, deps), deps);
  const { owner } = deps;
  const startSeq = log.append(row.id, userMessage(input, now));
  const begun = isOverBefore(row, input, deps) ? startConversation(store, owner, startSeq, { now }) : undefined;
  noteActivity(row, input, deps);
  return { startSeq, sessionId: owner.sessionId, ...begun };
}

/** Notes that somebody spoke, where conversations begin anew by time. What the system itself says does not count. */
export function noteActivity(
  { acceptedAt }: RunRow,
  { origin }: RunInput,
  { store, resetPolicy }: Pick<StartRunDeps, "store" | "resetPolicy">,
): void {
  const isSaid = origin === undefined || origin.kind === "reset";
  if (resetPolicy !== undefined && isSaid) saveActivity(store, acceptedAt);
}

function isOverBefore({ acceptedAt }: RunRow, { origin }: RunInput, { owner, resetPolicy }: StartRunDeps): boolean {
  if (resetPolicy === undefined || origin !== undefined) return false;
  return isOver(resetPolicy, owner.activeAt, acceptedAt);
}

/** What comes after `/new` or `/reset`: a model, where `/new` names one, and what is said first. */
interface ResetRequest {
  model?: string;
  text: string;
}

function readReset({ name, args }: { name: string; args: string }, { lookUpModel }: StartRunDeps): ResetRequest {
  const [, word = "", rest = ""] = /^(\S*)\s*([\s\S]*)$/.exec(args) ?? [];
  const named = name === "new" && word !== "" ? lookUpModel(word) : undefined;
  return named?.kind === "model" ? { model: named.ref, text: rest } : { text: args };
}

/** Where there is nothing to say first, the command stands there as it was typed, and the turn says what to do. */
function startReset(row: RunRow, input: RunInput, { model, text }: ResetRequest, deps: StartRunDeps): RunStart {
  const { store, log, owner, now } = deps;
  const asked = userMessage(text === "" ? input : { ...input, text }, now);
  const startSeq = log.append(row.id, text === "" ? { ...asked, aside: true } : asked);
  const begun = startConversation(store, owner, startSeq, { ...(model !== undefined && { model }), now });
  noteActivity(row, input, deps);
  return { startSeq, ...begun };
}

/**
 * Begins a new conversation under the same key, within the fence. The history stays; no model sees what came before.
 *
 * Of its settings, the model goes (unless one is named): it was chosen for the conversation that is over. So does what
 * the model was told, for it does not see that any more. How the
 * session treats people (queue, thinking, reasoning, verbose, usage) and what they have allowed stays.
 * @param before the session as it was
 * @param fromSeq number of the first event of the new one. Gives its id, and which one ended
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

/** When conversations of an agent begin anew by themselves; undefined for never, also with a configuration not valid. */
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

/** When a conversation is over by itself: each day at an hour in a time zone, or after a pause. */
export type ResetPolicy = { mode: "daily"; atHour: number; zone: string } | { mode: "idle"; idleMinutes: number };

/**
 * Whether a conversation is over by the time at which somebody speaks again. Instants are milliseconds since the epoch.
 * @param lastSaidAt when somebody spoke before; 0 where that is not known
 */
export function isOver(policy: ResetPolicy, lastSaidAt: number, saidAt: number): boolean {
  if (lastSaidAt === 0) return false;
  if (policy.mode === "idle") return saidAt - lastSaidAt >= policy.idleMinutes * 60_000;
  return lastSaidAt < lastAtHour(saidAt, policy.atHour, policy.zone);
}
