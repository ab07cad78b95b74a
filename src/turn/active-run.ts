import type { RunJournal } from "../session-store/run-journal.ts";
import type { OpenRun } from "../session-store/runs.ts";
import type { Speaker } from "./principal.ts";

/** A run that has its turn. */
export interface ActiveRun {
  row: OpenRun;
  speaker: Speaker;
  journal: RunJournal;
  signal: AbortSignal;
}
