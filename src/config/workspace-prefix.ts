import { pathFault } from "../lib/relative-path.ts";

/** Longest prefix: the rest of the 1,024 bytes that R2 gives a key is for the paths below it. */
const MAX_PREFIX_BYTES = 256;

/** The folders at the top of the bucket that have a meaning of their own. */
const RESERVED = ["agents", "versions", "skills", "sessions"];

/**
 * A place on a disk: a home folder, an absolute path of Unix or Windows, a variable, or nothing. An imported
 * configuration has such paths; the disk is not here, so they all mean the agent's own prefix.
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

/** What is wrong with a configured workspace, as a sentence; undefined where nothing is. */
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

/** The folder that was meant, ending in `/`; undefined where the agent's own is. */
function folderNamed(configured: string | undefined): string | undefined {
  const named = configured?.trim().replace(/^(?:\.\/+)+/, "");
  if (named === undefined || isOnDisk(named)) return undefined;
  return `${named.replace(/\/$/, "")}/`;
}
