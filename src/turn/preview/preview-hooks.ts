import type { HookPlace } from "../../plugins/hook-context.ts";
import type { PromptHooks } from "../../plugins/session-hooks.ts";
import { WORKSPACE_DIR } from "../../workspace/paths.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { TurnContext } from "../turn-context.ts";

/** What stands for the id of a conversation that is none. */
const NO_CONVERSATION = "preview";

/** The hooks of plugins, of whose changes the audit trail is not told: no model sees them. */
export function withoutAudit(hooks: Pick<PromptHooks, "has" | "run">): PromptHooks {
  return {
    audit: { write: () => undefined },
    has: (name) => hooks.has(name),
    run: (name, event, runId) => hooks.run(name, event, runId),
  };
}

/**
 * The hooks of plugins where there is no session: they change a prompt that is only looked at as they would a live one.
 * @param workspace what they may read; what they write must not be stored
 * @param now milliseconds since the epoch
 */
export function previewHooks(
  { session, agent, services }: TurnContext,
  { workspace, now }: { workspace: Workspace; now: number },
): PromptHooks {
  const timezone = agent.defaults.userTimezone;
  const place: HookPlace = {
    agentId: agent.id,
    sessionKey: session.key,
    sessionId: NO_CONVERSATION,
    workspaceDir: WORKSPACE_DIR,
    ...(timezone !== undefined && { timezone }),
    now: () => now,
    workspace,
    audit: () => undefined,
  };
  return withoutAudit({
    has: (name) => services.hooks.has(name),
    run: (name, event) => services.hooks.run(name, event, () => place),
  });
}
