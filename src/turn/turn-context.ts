import type { Target } from "../channels/channel.ts";
import { parseSessionKey } from "../config/session-key.ts";
import type { ThinkingLevel } from "../models/model.ts";
import type { PromptMode } from "../prompt/input.ts";
import type { SessionRow } from "../session-store/session-row.ts";
import type { ActiveRun } from "./active-run.ts";
import type { Principal } from "./principal.ts";

/**
 * Whose turn it is, and where: all that a turn's prompt, files and tools depend on besides the configuration, the
 * plugins and the workspace. A live run has one, and so may a turn that nobody has asked for, to see what it would get.
 */
export interface TurnContext {
  session: Pick<SessionRow, "key" | "settings">;
  principal: Principal;
  /** Where the reply goes; null where whoever asked reads it in the session. */
  target: Pick<Target, "channel" | "accountId" | "kind"> | null;
  mode: PromptMode;
  /** What the run was asked to think, instead of what the session has set. */
  thinking?: ThinkingLevel;
  /** Told to the model of this run only. */
  extraContext?: string;
  /** The run, where there is one: what plugins change is told of it. */
  runId?: string;
}

/** The occasion of a live run. */
export function turnContextOf({ row, principal, journal }: ActiveRun, session: SessionRow): TurnContext {
  const { thinking, extraContext } = journal.state;
  return {
    session,
    principal,
    target: row.target,
    mode: promptModeOf(session.key),
    ...(thinking !== undefined && { thinking }),
    ...(extraContext !== undefined && { extraContext }),
    runId: row.id,
  };
}

/** How much a session is told of itself: those that work for another one, or by the clock, get what the work needs. */
export function promptModeOf(sessionKey: string): "full" | "minimal" {
  const { kind } = parseSessionKey(sessionKey);
  return kind === "subagent" || kind === "cron" ? "minimal" : "full";
}
