import { messageOf } from "../lib/errors.ts";
import type { SessionStatus } from "./commands/command.ts";
import { isBegun } from "./run.ts";
import { openRuns } from "./runs.ts";
import type { SessionRow } from "./session-row.ts";
import type { Store } from "./store.ts";
import { countMessages } from "./transcript.ts";
import { agentIn, type Wiring } from "./wiring.ts";

/** What a session is and does. */
export function statusOf(store: Store, owner: SessionRow, wiring: () => Wiring, now: number): SessionStatus {
  const rows = openRuns(store);
  const active = rows.map((row) => row.state).find(isBegun);
  return {
    sessionKey: owner.key,
    model: modelOf(owner, wiring),
    active: active && { status: active.status, forMs: now - active.startedAt },
    waiting: rows.filter((row) => row.state.status === "queued").length,
    messages: countMessages(store),
  };
}

function modelOf(owner: SessionRow, wiring: () => Wiring): string {
  try {
    return wiring().modelRefOf(agentIn(wiring(), owner.agentId));
  } catch (error) {
    return messageOf(error);
  }
}
