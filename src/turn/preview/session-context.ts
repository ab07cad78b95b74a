import type { AnyTool } from "../../agent/tool.ts";
import type { Services } from "../../services/services.ts";
import { readView } from "../../session-store/conversation-view.ts";
import { newestRun } from "../../session-store/runs.ts";
import type { SessionRow } from "../../session-store/session-row.ts";
import type { Store } from "../../session-store/store.ts";
import { principalOf } from "../principal.ts";
import type { SessionSkills } from "../skills/session-skills.ts";
import { promptModeOf, type TurnContext } from "../turn-context.ts";
import { type ContextReport, contextReport } from "./context-report.ts";

/** What reporting on a session needs of the object that it is in. */
export interface SessionContextDeps {
  store: Store;
  owner(): SessionRow;
  services(): Services;
  /** Tools of an owner's turn besides the built-in ones and those of plugins. */
  extraTools(): readonly AnyTool[];
  skills: Pick<SessionSkills, "forPreview">;
  now(): number;
}

/** What the next request to a model would be made of in a session, on an occasion. */
export async function sessionContext(turnContext: TurnContext, deps: SessionContextDeps): Promise<ContextReport> {
  const owner = deps.owner();
  return contextReport(turnContext, {
    agentId: owner.agentId,
    services: deps.services(),
    extraTools: deps.extraTools(),
    skills: { forTurn: (request) => deps.skills.forPreview(request) },
    messages: readView(deps.store, owner).messages,
    now: deps.now(),
  });
}

/**
 * The next turn of a session, if it is like its last one.
 * @param sender who speaks in it; whoever spoke last where that is absent, and an owner where nobody has
 */
export function nextTurnContext(
  { store, owner }: SessionContextDeps,
  sender: "owner" | "other" | undefined,
): TurnContext {
  const session = owner();
  const target = newestRun(store)?.target ?? null;
  const { messages } = readView(store, session);
  const last = principalOf(messages, { target, sessionKey: session.key }, undefined);
  const isOwner = sender === undefined ? last.owner || messages.length === 0 : sender === "owner";
  return { session, principal: { ...last, owner: isOwner }, target, mode: promptModeOf(session.key) };
}
