import { originRules } from "../config/origins.ts";
import type { Message } from "../models/message.ts";
import type { SessionHooks } from "../plugins/session-hooks.ts";
import { isBegun, type RunState, type SettledRun } from "../session-store/run.ts";
import type { OpenRun } from "../session-store/runs.ts";

/** Runs the `agent_end` hooks. Runs that never started and commands have no turn. */
export function runAgentEndHooks(
  row: OpenRun,
  ended: SettledRun,
  hooks: SessionHooks,
  messages: () => readonly Message[],
): void {
  if (ended.status === "joined" || ended.status === "dropped" || !isTurn(row.state)) return;
  const { status, startedAt, endedAt, usage, model, error } = ended;
  if (startedAt === undefined) return;
  const made = () => ({
    status,
    messages: messages(),
    usage,
    durationMs: endedAt - startedAt,
    ...(model !== undefined && { model }),
    ...(error && { error: error.message }),
  });
  hooks.later("agent_end", made, row.id);
}

function isTurn(state: RunState): boolean {
  return !isBegun(state) || originRules(state.origin).isTurn;
}
