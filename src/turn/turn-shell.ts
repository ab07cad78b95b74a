import { createMask } from "../security/mask.ts";
import { newFenceId } from "../services/new-fence-id.ts";
import type { TurnSkills } from "../services/skills/turn-skills.ts";
import { createShell } from "../shell/create-shell.ts";
import type { ExecPort } from "../tools/exec.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { TurnContext } from "./turn-context.ts";

/** The port for running commands; undefined if the agent may run none. Opening the port reads nothing. */
export function turnShell(
  { agent: { exec }, services }: Pick<TurnContext, "agent" | "services">,
  { env, mounts }: Pick<TurnSkills, "env" | "mounts">,
  workspace: Workspace,
): ExecPort | undefined {
  if (exec === undefined) return undefined;
  const deps = { workspace, mounts, fetch: services.egress, mask: createMask(env), now: Date.now };
  return { shell: createShell(deps), env, ...exec, newFenceId };
}
