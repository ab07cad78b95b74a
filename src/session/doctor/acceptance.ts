import type { Agent } from "../../config/agents.ts";
import { reviewFiles } from "../../workspace/acceptance.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { Check } from "./check.ts";

/** Which files tell an agent who it is in other words than its owner has accepted. Silent where none was ever accepted. */
export async function examineAcceptance(
  { id }: Agent,
  workspace: Pick<Workspace, "list">,
  database: D1Database,
): Promise<Check[]> {
  const { hasAccepted, files } = await reviewFiles(database, workspace, id);
  const changed = files.filter(({ state }) => state !== "accepted");
  if (!hasAccepted || changed.length === 0) return [];
  const named = changed.map(({ path, state }) => `${path} (${state})`).join(", ");
  return [
    {
      id: `workspaces.${id}.accepted`,
      area: "workspaces",
      status: "warn",
      message: `'${id}': not as you have accepted them: ${named}.`,
      fix: `Read them, then POST /v1/agents/${id}/bootstrap/accept.`,
    },
  ];
}
