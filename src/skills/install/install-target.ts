import type { Agent } from "../../config/agents.ts";
import { workspacePrefix } from "../../config/workspace-prefix.ts";
import { createR2Workspace, type R2WorkspaceOptions } from "../../workspace/r2.ts";
import { type Attempt, createAttempt } from "../../workspace/retry.ts";
import type { Workspace } from "../../workspace/workspace.ts";

/** Where a skill is installed: one agent's workspace, or the folder that all agents share. */
export interface InstallTarget {
  scope: "agent" | "managed";
  bucket: R2Bucket;
  attempt: Attempt;
  /** The R2 key of the lock. It is outside every workspace, so that no agent's tool can write it. */
  lockKey: string;
  /** The R2 prefix of stored packages of unfinished installs. */
  packages: string;
  files: Workspace;
  /** The path prefix of skill folders in `files`: `skills/`, or empty. */
  root: string;
  /** The prefix of its skills' locations: `skills/`, `skills://managed/`. */
  address: string;
  /** The prefix of its skills' paths in the shell. */
  mount: string;
  /** Milliseconds since the epoch. */
  now(): number;
  /** An unguessable id. */
  newId(): string;
}

/** What install targets are created from. */
export interface InstallStore extends Pick<R2WorkspaceOptions, "onReplaced" | "wait" | "newVersionId"> {
  bucket: R2Bucket;
  now(): number;
}

/** The id under which versions of managed files are kept; no agent can have it. */
export const MANAGED_ID = "_managed";

/**
 * The install target of one agent. Agents with a shared workspace share its lock; the lock is named after the agent if
 * the workspace is its own, and after the workspace's prefix otherwise.
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

/** The install target of all agents. Its files keep versions, as those of a workspace do. */
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

/** The skill source that a target belongs to. */
export function installedSkillSource({ scope }: Pick<InstallTarget, "scope">): "workspace" | "managed" {
  return scope === "agent" ? "workspace" : "managed";
}
