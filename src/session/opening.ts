import type { EventLog } from "./event-log.ts";
import { userMessage } from "./messages.ts";
import { beginAnew } from "./reset.ts";
import type { Opening, RunInput } from "./run.ts";
import type { RunRow } from "./runs.ts";
import type { Store } from "./store.ts";

/** What the beginning of a run is written with, within the fence. */
export interface OpeningRoom {
  store: Store;
  log: EventLog;
  /** Whether a word names a model: the reference that it stands for. */
  modelNamed(word: string): string | undefined;
  now: number;
}

/** Puts what a run was asked into the transcript; where that asks for it, a new conversation begins there. */
export function openRun(row: RunRow, input: RunInput, room: OpeningRoom): Opening {
  const { store, log, now } = room;
  const { origin } = input;
  if (origin?.kind !== "reset") return { startSeq: log.append(row.id, userMessage(input, now)) };
  const { model, text } = readReset(origin, room);
  // As it was typed where that is all: what the model is told then comes from the turn.
  const asked = userMessage(text === "" ? input : { ...input, text }, now);
  const startSeq = log.append(row.id, text === "" ? { ...asked, aside: true } : asked);
  const ended = beginAnew(store, startSeq, { ...(model !== undefined && { model }), now });
  return { startSeq, ...(ended && { ended }) };
}

/** What comes after `/new` or `/reset`: a model, where `/new` names one, and what is said first. */
function readReset(
  { name, args }: { name: string; args: string },
  { modelNamed }: OpeningRoom,
): { model?: string; text: string } {
  const [, word = "", rest = ""] = /^(\S*)\s*([\s\S]*)$/.exec(args) ?? [];
  const model = name === "new" && word !== "" ? modelNamed(word) : undefined;
  return model === undefined ? { text: args } : { model, text: rest };
}
