import type { Agent } from "../config/agents.ts";
import { type OriginRules, originRules, SESSION_KINDS } from "../config/origins.ts";
import { parseSessionKey } from "../config/session-key.ts";
import type { ThinkingLevel } from "../models/model.ts";
import type { PromptMode } from "../prompt/input.ts";
import { agentIn, type Services } from "../services/services.ts";
import type { RunOrigin } from "../session-store/run-input.ts";
import type { SessionRow } from "../session-store/session-row.ts";
import type { ActiveRun } from "./active-run.ts";
import { agentAt, type TurnTarget } from "./group-rules.ts";
import type { Principal } from "./principal.ts";

/**
 * What a turn's prompt, files and tools depend on, resolved once when the turn begins. A preview has one too, so that it
 * goes through the same code as a live turn.
 */
export interface TurnContext {
  /** The services of this turn's configuration revision, which is kept until the turn ends. */
  services: Services;
  agent: Agent;
  /** `sessionId` is absent in a preview of a session that does not exist. */
  session: Pick<SessionRow, "key" | "settings"> & Partial<Pick<SessionRow, "sessionId">>;
  principal: Principal;
  origin: OriginRules;
  /** Where the reply goes; null if it is only read in the session. */
  target: TurnTarget;
  mode: PromptMode;
  /** `provider/model` of this run, in place of the session's. */
  model?: string;
  /** Overrides the thinking level of the session. */
  thinking?: ThinkingLevel;
  /** Shown to the model of this run only. */
  extraContext?: string;
  /** Set in a turn of a heartbeat, or of a job whose prompt is as short as one's. */
  beat?: { isLight: boolean };
  /** Absent in a preview. */
  runId?: string;
}

/** The context of a live run. @throws IsopodError `not_found` if the configuration no longer names the agent */
export function turnContextOf(
  { row, principal, journal }: ActiveRun,
  session: SessionRow,
  services: Services,
): TurnContext {
  const { model, thinking, extraContext, origin } = journal.state;
  return {
    services,
    agent: agentAt(agentIn(services, session.agentId), row.target, services),
    session,
    principal,
    origin: originRules(origin),
    target: row.target,
    mode: promptModeOf(session.key),
    ...(model !== undefined && { model }),
    ...(thinking !== undefined && { thinking }),
    ...(extraContext !== undefined && { extraContext }),
    ...beatOf(origin),
    runId: row.id,
  };
}

function beatOf(origin: RunOrigin | undefined): Pick<TurnContext, "beat"> {
  const isLight = origin !== undefined && "isLight" in origin && origin.isLight === true;
  return isLight || origin?.kind === "heartbeat" ? { beat: { isLight } } : {};
}

/** How much of the system prompt the turns of a session get. */
export function promptModeOf(sessionKey: string): "full" | "minimal" {
  return SESSION_KINDS[parseSessionKey(sessionKey).kind].promptMode;
}
