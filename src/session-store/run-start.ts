import { originRules } from "../config/origins.ts";
import type { ModelLookup } from "../services/model-lookup.ts";
import type { EventLog } from "./event-log.ts";
import { userMessage } from "./messages.ts";
import { isOver, type ResetPolicy, startConversation } from "./new-conversation.ts";
import type { RunInput, RunStart } from "./run.ts";
import type { RunRow } from "./runs.ts";
import { type SessionRow, saveActivity } from "./session-row.ts";
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
  if (origin?.kind === "reset") return openAnew(row, input, readReset(origin, deps), deps);
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
  if (resetPolicy !== undefined && originRules(origin).isActivity) saveActivity(store, acceptedAt);
}

function isOverBefore({ acceptedAt }: RunRow, { origin }: RunInput, { owner, resetPolicy }: StartRunDeps): boolean {
  if (resetPolicy === undefined || !originRules(origin).startsByTime) return false;
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
function openAnew(row: RunRow, input: RunInput, { model, text }: ResetRequest, deps: StartRunDeps): RunStart {
  const { store, log, owner, now } = deps;
  const asked = userMessage(text === "" ? input : { ...input, text }, now);
  const startSeq = log.append(row.id, text === "" ? { ...asked, aside: true } : asked);
  const begun = startConversation(store, owner, startSeq, { ...(model !== undefined && { model }), now });
  noteActivity(row, input, deps);
  return { startSeq, ...begun };
}
