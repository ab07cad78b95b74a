import type { Agent } from "../config/agents.ts";
import { mainSessionKey } from "../config/session-key.ts";
import { log } from "../lib/log.ts";
import type { AcceptRequest } from "../session-store/run-request.ts";
import { fileNamed } from "../workspace/bootstrap-names.ts";
import { readText } from "../workspace/read-text.ts";
import { truncate } from "../workspace/truncate.ts";
import { type Workspace, type WorkspaceEntry, WorkspaceError, type WorkspaceFile } from "../workspace/workspace.ts";

const NAME = "BOOT.md";

const ORDER = [
  "[System] A new version of you has come up. This is what your workspace's BOOT.md asks you to do then, once.",
  "Do it now. Nobody waits for a reply: whoever is to hear of it gets a message, and when all is done answer NO_REPLY.",
].join("\n");

/**
 * The run that a new deployment starts in an agent's main session: the instructions of its BOOT.md (the case of the
 * name does not matter). Undefined, at no cost, if there is no such file or it is empty.
 * @param listing the workspace's root
 * @throws WorkspaceError `unavailable`
 */
export async function bootRequest(
  agent: Agent,
  workspace: Pick<Workspace, "read">,
  listing: readonly WorkspaceEntry[],
  bootId: string,
): Promise<Omit<AcceptRequest, "runId"> | undefined> {
  const file = fileNamed(listing, NAME);
  const content = file && (await readBootFile(agent, workspace, file));
  if (content === undefined) return undefined;
  return {
    sessionKey: mainSessionKey(agent.id),
    agentId: agent.id,
    idempotencyKey: `boot:${bootId}`,
    input: {
      text: `${ORDER}\n\n${content}`,
      // Anyone who may write to the workspace is trusted like its owner.
      sender: { id: "system", name: "System", owner: true },
      timeoutSeconds: agent.defaults.timeoutSeconds,
      origin: { kind: "boot" },
    },
  };
}

async function readBootFile(
  { id, defaults: { bootstrapMaxChars } }: Agent,
  workspace: Pick<Workspace, "read">,
  file: WorkspaceFile,
): Promise<string | undefined> {
  try {
    const read = await readText(workspace, file, bootstrapMaxChars);
    if (read.kind === "binary") log("warn", "boot_file.no_text", { agentId: id, path: file.path, why: read.why });
    const content = read.kind === "text" ? truncate(read.excerpt, bootstrapMaxChars, file.path).content.trim() : "";
    return content === "" ? undefined : content;
  } catch (error) {
    if (error instanceof WorkspaceError && error.code === "not_found") return undefined;
    throw error;
  }
}
