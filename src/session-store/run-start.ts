import type { ModelLookup } from "../services/model-lookup.ts";
import type { EventLog } from "./event-log.ts";
import { userMessage } from "./messages.ts";
import { beginAnew } from "./new-conversation.ts";
import { isOver, type ResetPolicy } from "./reset-time.ts";
import type { Opening, RunInput } from "./run.ts";
import type { RunRow } from "./runs.ts";
import { type SessionRow, saveSaidAt } from "./session-row.ts";
import type { Store } from "./store.ts";

/** What the beginning of a run is written with, within the fence. */
export interface OpeningRoom {
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
export function openRun(row: RunRow, input: RunInput, room: OpeningRoom): Opening {
  const { store, log, now } = room;
  const { origin } = input;
  if (origin?.kind === "reset") return openAnew(row, input, readReset(origin, room), room);
  const { owner } = room;
  const startSeq = log.append(row.id, userMessage(input, now));
  const begun = isOverBefore(row, input, room) ? beginAnew(store, owner, startSeq, { now }) : undefined;
  noteSaid(row, input, room);
  return { startSeq, sessionId: owner.sessionId, ...begun };
}

/** Notes that somebody spoke, where conversations begin anew by time. What the system itself says does not count. */
export function noteSaid(
  { acceptedAt }: RunRow,
  { origin }: RunInput,
  { store, resetPolicy }: Pick<OpeningRoom, "store" | "resetPolicy">,
): void {
  const isSaid = origin === undefined || origin.kind === "reset";
  if (resetPolicy !== undefined && isSaid) saveSaidAt(store, acceptedAt);
}

function isOverBefore({ acceptedAt }: RunRow, { origin }: RunInput, { owner, resetPolicy }: OpeningRoom): boolean {
  if (resetPolicy === undefined || origin !== undefined) return false;
  return isOver(resetPolicy, owner.saidAt, acceptedAt);
}

/** What comes after `/new` or `/reset`: a model, where `/new` names one, and what is said first. */
interface ResetRequest {
  model?: string;
  text: string;
}

function readReset({ name, args }: { name: string; args: string }, { lookUpModel }: OpeningRoom): ResetRequest {
  const [, word = "", rest = ""] = /^(\S*)\s*([\s\S]*)$/.exec(args) ?? [];
  const named = name === "new" && word !== "" ? lookUpModel(word) : undefined;
  return named?.kind === "model" ? { model: named.ref, text: rest } : { text: args };
}

/** Where there is nothing to say first, the command stands there as it was typed, and the turn says what to do. */
function openAnew(row: RunRow, input: RunInput, { model, text }: ResetRequest, room: OpeningRoom): Opening {
  const { store, log, owner, now } = room;
  const asked = userMessage(text === "" ? input : { ...input, text }, now);
  const startSeq = log.append(row.id, text === "" ? { ...asked, aside: true } : asked);
  const begun = beginAnew(store, owner, startSeq, { ...(model !== undefined && { model }), now });
  noteSaid(row, input, room);
  return { startSeq, ...begun };
}
