import type { Agent } from "../config/agents.ts";
import { messageOf } from "../lib/errors.ts";
import { reviewFiles } from "../workspace/acceptance.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { Check } from "./check.ts";

/** Which files tell an agent who it is in other words than its owner has accepted. Silent where none was ever accepted. */
export async function examineAcceptance(
  { id }: Agent,
  workspace: Pick<Workspace, "list">,
  database: D1Database,
): Promise<Check[]> {
  const head = { id: `workspaces.${id}.accepted`, area: "workspaces", status: "warn" } as const;
  const review = await reviewFiles(database, workspace, id).catch(messageOf);
  if (typeof review === "string") {
    const message = `'${id}': whether its files are as you have accepted them cannot be told: ${review}`;
    return [{ ...head, message, fix: "See what is said of the database." }];
  }
  const { hasAccepted, files } = review;
  const changed = files.filter(({ state }) => state !== "accepted");
  if (!hasAccepted || changed.length === 0) return [];
  const named = changed.map(({ path, state }) => `${path} (${state})`).join(", ");
  return [
    {
      ...head,
      message: `'${id}': not as you have accepted them: ${named}.`,
      fix: `Read them, then POST /v1/agents/${id}/bootstrap/accept.`,
    },
  ];
}
