import type { Agent } from "../config/agents.ts";
import { createMask } from "../security/mask.ts";
import { newFenceId } from "../services/new-fence-id.ts";
import { createShell } from "../shell/create-shell.ts";
import type { ExecPort } from "../tools/exec.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { ToolsDeps } from "./turn-deps.ts";

/** How an owner's turn runs commands; undefined where its agent may run none. Nothing is read or made by that. */
export function turnShell(
  { exec }: Pick<Agent, "exec">,
  { services, skills }: Pick<ToolsDeps, "services" | "skills">,
  workspace: Workspace,
): ExecPort | undefined {
  if (exec === undefined) return undefined;
  const { env, mounts } = skills;
  const deps = { workspace, mounts, fetch: services.egress, mask: createMask(env), now: Date.now };
  return { shell: createShell(deps), env, ...exec, newFenceId };
}
