import type { Agent } from "../../config/agents.ts";
import { mainSessionKey } from "../../config/session-key.ts";
import { readText } from "../../workspace/read-text.ts";
import { truncate } from "../../workspace/truncate.ts";
import { type Workspace, WorkspaceError } from "../../workspace/workspace.ts";
import type { AcceptRequest } from "../api.ts";

const PATH = "BOOT.md";

const ORDER = [
  "[System] A new version of you has come up. This is what your workspace's BOOT.md asks you to do then, once.",
  "Do it now. Nobody waits for a reply: whoever is to hear of it gets a message, and when all is done answer NO_REPLY.",
].join("\n");

/**
 * What a new deployment has an agent do: what its BOOT.md says, as a run of its main session. Undefined where there is no
 * such file, or nothing in it. Costs one R2 operation where there is none.
 * @throws WorkspaceError `unavailable`
 */
export async function bootRequest(
  agent: Agent,
  workspace: Pick<Workspace, "stat" | "read">,
  bootId: string,
): Promise<Omit<AcceptRequest, "runId"> | undefined> {
  const content = await readBootFile(workspace, agent.defaults.bootstrapMaxChars);
  if (content === undefined) return undefined;
  return {
    sessionKey: mainSessionKey(agent.id),
    agentId: agent.id,
    idempotencyKey: `boot:${bootId}`,
    input: {
      text: `${ORDER}\n\n${content}`,
      // Whoever may write to the workspace is trusted as its owner is.
      sender: { id: "system", name: "System", owner: true },
      timeoutSeconds: agent.defaults.timeoutSeconds,
      origin: { kind: "boot" },
    },
  };
}

async function readBootFile(
  workspace: Pick<Workspace, "stat" | "read">,
  maxChars: number,
): Promise<string | undefined> {
  try {
    const read = await readText(workspace, await workspace.stat(PATH), maxChars);
    const content = read.kind === "text" ? truncate(read.excerpt, maxChars, PATH).content.trim() : "";
    return content === "" ? undefined : content;
  } catch (error) {
    if (error instanceof WorkspaceError && error.code === "not_found") return undefined;
    throw error;
  }
}
