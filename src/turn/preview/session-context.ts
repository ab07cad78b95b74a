import type { AnyTool } from "../../agent/tool.ts";
import { ORIGINS } from "../../config/origins.ts";
import { agentIn, type Services } from "../../services/services.ts";
import { readView } from "../../session-store/conversation-view.ts";
import { newestRun } from "../../session-store/runs.ts";
import type { SessionRow } from "../../session-store/session-row.ts";
import type { Store } from "../../session-store/store.ts";
import { agentAt } from "../group-rules.ts";
import { principalOf } from "../principal.ts";
import type { SessionSkills } from "../skills/session-skills.ts";
import { promptModeOf, type TurnContext } from "../turn-context.ts";
import { type ContextReport, contextReport } from "./context-report.ts";

/** Dependencies of `sessionContext`. */
export interface SessionContextDeps {
  store: Store;
  session(): SessionRow;
  services(): Services;
  /** Tools of an owner's turn besides the built-in ones and those of plugins. */
  extraTools(): readonly AnyTool[];
  skills: Pick<SessionSkills, "forPreview">;
  now(): number;
}

/** The parts of the next model request of a session. */
export async function sessionContext(context: TurnContext, deps: SessionContextDeps): Promise<ContextReport> {
  return contextReport(context, {
    extraTools: deps.extraTools(),
    skills: { forTurn: (request) => deps.skills.forPreview(request) },
    messages: readView(deps.store, deps.session()).messages,
    now: deps.now(),
  });
}

/**
 * The context of a session's next turn, assuming that it is like the last one.
 * @param sender the sender of that turn; absent for the last sender, or an owner if there was none
 */
export function nextTurnContext(deps: SessionContextDeps, sender: "owner" | "other" | undefined): TurnContext {
  const { store, services } = deps;
  const session = deps.session();
  const opened = services();
  const target = newestRun(store)?.target ?? null;
  const { messages } = readView(store, session);
  const last = principalOf(messages, { target, sessionKey: session.key }, undefined);
  const isOwner = sender === undefined ? last.owner || messages.length === 0 : sender === "owner";
  return {
    services: opened,
    agent: agentAt(agentIn(opened, session.agentId), target, opened),
    session,
    principal: { ...last, owner: isOwner },
    origin: ORIGINS.person,
    target,
    mode: promptModeOf(session.key),
  };
}
