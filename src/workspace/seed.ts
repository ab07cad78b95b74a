import { readState, recordSeeding, STATE_FOLDER } from "./state.ts";
import agents from "./templates/AGENTS.md";
import bootstrap from "./templates/BOOTSTRAP.md";
import heartbeat from "./templates/HEARTBEAT.md";
import identity from "./templates/IDENTITY.md";
import soul from "./templates/SOUL.md";
import tools from "./templates/TOOLS.md";
import user from "./templates/USER.md";
import { type Workspace, type WorkspaceEntry, WorkspaceError, type WorkspaceFile } from "./workspace.ts";

const BOOTSTRAP_PATH = "BOOTSTRAP.md";
/** What makes a workspace one that is lived in: it is written last. */
const LAST_PATH = "AGENTS.md";

const TEMPLATES: Readonly<Record<string, string>> = {
  "SOUL.md": soul,
  "TOOLS.md": tools,
  "IDENTITY.md": identity,
  "USER.md": user,
  "HEARTBEAT.md": heartbeat,
};

/** Names in the root, in any case, that show that somebody has lived here. */
const TRACES = [...Object.keys(TEMPLATES), LAST_PATH, BOOTSTRAP_PATH, "MEMORY.md", "memory"];

/**
 * Furnishes a workspace and gives its root as it is afterwards. Where the listing shows the state folder, that was done
 * before and nothing is asked of the store. Files that are there stay as they are. A workspace that came from elsewhere
 * with its AGENTS.md gets the state and nothing else; one that has other files gets what it lacks, but not BOOTSTRAP.md,
 * which is for a new one only.
 *
 * BOOTSTRAP.md is written first, AGENTS.md last of the files, and the state after it: after a crash in between the next
 * call goes on. Two callers at once each write what the other has not.
 * @param now milliseconds since the epoch
 */
export async function seedWorkspace(
  workspace: Workspace,
  listing: readonly WorkspaceEntry[],
  now: number,
): Promise<readonly WorkspaceEntry[]> {
  const present = new Set(listing.map((entry) => entry.path.toLowerCase()));
  const has = (path: string) => present.has(path.toLowerCase());
  const isNew = !TRACES.some(has);
  // A state folder and nothing else: somebody has cleared everything away, or put something there before the first turn.
  if (isSeeded(listing) && (!isNew || (await readState(workspace)).kind !== "none")) return listing;
  const write = (path: string, template: string) => writeNew(workspace, path, withoutFrontMatter(template));
  const written = isNew ? [await write(BOOTSTRAP_PATH, bootstrap)] : [];
  if (!has(LAST_PATH)) {
    const rest = Object.entries(TEMPLATES).filter(([path]) => !has(path));
    written.push(...(await Promise.all(rest.map(([path, template]) => write(path, template)))));
    written.push(await write(LAST_PATH, agents));
  }
  const isOnboarding = isNew || has(BOOTSTRAP_PATH);
  await recordSeeding(workspace, isOnboarding ? "bootstrapSeededAt" : "onboardingCompletedAt", now);
  if (written.includes(undefined)) return workspace.list("");
  const folder: WorkspaceEntry[] = isSeeded(listing) ? [] : [{ kind: "folder", path: STATE_FOLDER }];
  const files = written.filter((file) => file !== undefined);
  return [...listing, ...folder, ...files].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Whether a workspace was furnished, by its root. */
export function isSeeded(listing: readonly WorkspaceEntry[]): boolean {
  return listing.some((entry) => entry.path === STATE_FOLDER);
}

/** Undefined where somebody else wrote it in the meantime. */
async function writeNew(workspace: Workspace, path: string, text: string): Promise<WorkspaceFile | undefined> {
  try {
    return await workspace.write(path, text, { kind: "new" });
  } catch (thrown) {
    if (thrown instanceof WorkspaceError && thrown.code === "conflict") return undefined;
    throw thrown;
  }
}

function withoutFrontMatter(template: string): string {
  return template.replace(/^---\r?\n[\s\S]*?\r?\n---\r?\n\s*/, "");
}

/**
 * The workspace as everybody outside of a turn finds it: furnished, whoever comes first. Looking whether it is costs one
 * listing, before it is listed or written to, and where a file is missed; reading a file that is there costs nothing more.
 * @param now milliseconds since the epoch
 */
export function seedOnFirstUse(workspace: Workspace, now: number): Workspace {
  let seeding: Promise<unknown> | undefined;
  function furnish(): Promise<unknown> {
    seeding ??= workspace.list("").then((listing) => seedWorkspace(workspace, listing, now));
    return seeding;
  }
  async function first<T>(work: () => Promise<T>): Promise<T> {
    await furnish();
    return work();
  }
  async function ifMissed<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (thrown) {
      const isMissing = thrown instanceof WorkspaceError && thrown.code === "not_found";
      if (!isMissing || seeding !== undefined) throw thrown;
      return first(work);
    }
  }
  return {
    ...workspace,
    list: (folder) => first(() => workspace.list(folder)),
    walk: (folder) => first(() => workspace.walk(folder)),
    stat: (path) => ifMissed(() => workspace.stat(path)),
    read: (path, range) => ifMissed(() => workspace.read(path, range)),
    write: (path, content, expect) => first(() => workspace.write(path, content, expect)),
    remove: (path, expect) => ifMissed(() => workspace.remove(path, expect)),
    restore: (path, versionId, expect) => ifMissed(() => workspace.restore(path, versionId, expect)),
  };
}
