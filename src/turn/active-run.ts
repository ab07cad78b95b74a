import type { RunJournal } from "../session-store/run-journal.ts";
import type { OpenRun } from "../session-store/runs.ts";
import type { Principal } from "./principal.ts";

/** The active run. */
export interface ActiveRun {
  row: OpenRun;
  principal: Principal;
  journal: RunJournal;
  signal: AbortSignal;
  /** Whether it has to make room for a message that waits, before its next step. */
  mustYield(): boolean;
}
