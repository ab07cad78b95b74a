import type { Agent } from "../../config/agents.ts";
import { workspacePrefix } from "../../config/workspace-prefix.ts";
import { createR2Workspace, type R2WorkspaceOptions } from "../../workspace/r2.ts";
import { type Attempt, createAttempt } from "../../workspace/retry.ts";
import type { Workspace } from "../../workspace/workspace.ts";

/** Where skills are installed: one agent's workspace, or the place that all agents share. */
export interface InstallTarget {
  scope: "agent" | "managed";
  bucket: R2Bucket;
  attempt: Attempt;
  /** The R2 key of the lock. It is outside of every workspace, where no agent's tool can write. */
  lockKey: string;
  /** What the R2 keys of packages of installs that are under way begin with. */
  packages: string;
  files: Workspace;
  /** What the path of a skill's folder begins with in `files`: `skills/`, or nothing. */
  root: string;
  /** What its location begins with: `skills/`, `skills://managed/`. */
  address: string;
  /** What its path begins with in the shell. */
  mount: string;
  /** Milliseconds since the epoch. */
  now(): number;
  /** An unguessable id. */
  newId(): string;
}

/** What the places of installs are made from. */
export interface InstallStore extends Pick<R2WorkspaceOptions, "onReplaced" | "wait" | "newVersionId"> {
  bucket: R2Bucket;
  now(): number;
}

/** What versions of managed files are kept under, beside those of agents; no agent can have this id. */
export const MANAGED_ID = "_managed";

/**
 * The place of an agent's own skills. Agents that share one workspace share its lock; that of an agent with its own place is
 * named by the agent, others by their prefix.
 */
export function agentInstallTarget(
  store: InstallStore,
  agent: Pick<Agent, "id" | "workspace">,
  files: Workspace,
): InstallTarget {
  const prefix = workspacePrefix(agent.id, agent.workspace);
  const name =
    prefix === workspacePrefix(agent.id, undefined) ? agent.id : `~${encodeURIComponent(prefix.slice(0, -1))}`;
  return {
    ...lockLocation(store, name),
    scope: "agent",
    files,
    root: "skills/",
    address: "skills/",
    mount: "/workspace/skills/",
  };
}

/** The place of the skills of all agents. Its files are changed as those of a workspace are, and keep versions too. */
export function managedInstallTarget(store: InstallStore): InstallTarget {
  const files = createR2Workspace({ ...store, agentId: MANAGED_ID, configured: "skills/managed" });
  return {
    ...lockLocation(store, MANAGED_ID),
    scope: "managed",
    files,
    root: "",
    address: "skills://managed/",
    mount: "/skills/managed/",
  };
}

function lockLocation({ bucket, wait, now, newVersionId }: InstallStore, name: string) {
  return {
    bucket,
    attempt: createAttempt(wait),
    lockKey: `skills/locks/${name}.json`,
    packages: `skills/packages/${name}/`,
    now,
    newId: newVersionId,
  };
}
