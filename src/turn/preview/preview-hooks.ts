import type { HookScope } from "../../plugins/hook.ts";
import type { PromptHooks } from "../../plugins/session-hooks.ts";
import { WORKSPACE_DIR } from "../../workspace/paths.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { TurnContext } from "../turn-context.ts";

/** The placeholder id of a conversation that does not exist. */
const NO_CONVERSATION = "preview";

/** The plugins' hooks without the audit trail, because no model sees their changes. */
export function withoutAudit(hooks: Pick<PromptHooks, "has" | "run">): PromptHooks {
  return {
    audit: { write: () => undefined },
    has: (name) => hooks.has(name),
    run: (name, event, runId) => hooks.run(name, event, runId),
  };
}

/**
 * The plugins' hooks for a preview without a session: they change the prompt as they would in a live turn.
 * @param workspace the workspace that they read; their writes must not be stored
 * @param now milliseconds since the epoch
 */
export function previewHooks(
  { session, agent, services }: TurnContext,
  { workspace, now }: { workspace: Workspace; now: number },
): PromptHooks {
  const timezone = agent.defaults.userTimezone;
  const place: HookScope = {
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
