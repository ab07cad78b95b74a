import { pathFault } from "../lib/relative-path.ts";

/** Longest prefix; the rest of R2's 1,024 bytes for a key is left for paths. */
const MAX_PREFIX_BYTES = 256;

/** Top-level folders of the bucket with another meaning. */
const RESERVED = ["agents", "versions", "skills", "sessions"];

/**
 * A path on a disk: a home folder, an absolute path of Unix or Windows, a variable, or nothing. Imported configurations
 * contain such paths; there is no disk here, so they all mean the agent's own prefix.
 */
const ON_A_DISK = /^(?:~|\/|\\|[A-Za-z]:|\$|%|\.?\/?$)/;

/** Whether a configured folder is a place on a disk. */
export function isOnDisk(folder: string): boolean {
  return ON_A_DISK.test(folder.trim());
}

/**
 * The R2 prefix of an agent's workspace, ending in `/`: the relative folder that the configuration names, or
 * `agents/<agentId>/workspace/`. `configured` is one in which `prefixFault` finds nothing.
 */
export function workspacePrefix(agentId: string, configured: string | undefined): string {
  return folderNamed(configured) ?? ownPrefix(agentId);
}

/** The fault of a configured workspace, as a sentence; undefined if it is valid. */
export function prefixFault(agentId: string, configured: string | undefined): string | undefined {
  const prefix = folderNamed(configured);
  if (prefix === undefined || prefix === ownPrefix(agentId)) return undefined;
  const folder = prefix.slice(0, -1);
  const fault = pathFault(folder, MAX_PREFIX_BYTES);
  if (fault !== undefined) return `'${configured}' is no folder for a workspace: it ${fault}`;
  const [top] = folder.split("/");
  const reserved = RESERVED.find((name) => name === top);
  return reserved === undefined
    ? undefined
    : `'${configured}' is no folder for a workspace: '${reserved}/' is kept for something else; take another name`;
}

function ownPrefix(agentId: string): string {
  return `agents/${agentId}/workspace/`;
}

/** The configured folder, ending in `/`; undefined where it means the agent's own. */
function folderNamed(configured: string | undefined): string | undefined {
  const named = configured?.trim().replace(/^(?:\.\/+)+/, "");
  if (named === undefined || isOnDisk(named)) return undefined;
  return `${named.replace(/\/$/, "")}/`;
}
