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
/** Written last: its presence marks a complete workspace. */
const LAST_PATH = "AGENTS.md";

const TEMPLATES: Readonly<Record<string, string>> = {
  "SOUL.md": soul,
  "TOOLS.md": tools,
  "IDENTITY.md": identity,
  "USER.md": user,
  "HEARTBEAT.md": heartbeat,
};

/** Root names, in any case, that show that the workspace is in use. */
const TRACES = [...Object.keys(TEMPLATES), LAST_PATH, BOOTSTRAP_PATH, "MEMORY.md", "memory"];

/**
 * Creates the template files of a workspace and returns its root listing. With a state folder in the listing that was
 * done before, and the store is not asked. Existing files are kept. An imported workspace with an AGENTS.md gets only
 * the state; one with other files gets the missing templates, except BOOTSTRAP.md, which is for new workspaces.
 *
 * BOOTSTRAP.md is written first, AGENTS.md last of the files, then the state: after a crash the next call continues.
 * Concurrent calls each write what the other has not.
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
  // Only a state folder: the workspace was emptied, or a file was stored there before the first turn.
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

/** Whether a workspace was seeded, by its root listing. */
export function isSeeded(listing: readonly WorkspaceEntry[]): boolean {
  return listing.some((entry) => entry.path === STATE_FOLDER);
}

/** Undefined if the file was created concurrently. */
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
 * A workspace that is seeded on first use, for access outside of turns. The check costs one listing before a list, walk
 * or write, and for a missing file; reading an existing file costs nothing more.
 * @param now milliseconds since the epoch
 */
export function seedOnFirstUse(workspace: Workspace, now: number): Workspace {
  let seeding: Promise<unknown> | undefined;
  function seed(): Promise<unknown> {
    seeding ??= workspace.list("").then((listing) => seedWorkspace(workspace, listing, now));
    return seeding;
  }
  async function afterSeeding<T>(work: () => Promise<T>): Promise<T> {
    await seed();
    return work();
  }
  async function seedIfMissing<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (thrown) {
      const isMissing = thrown instanceof WorkspaceError && thrown.code === "not_found";
      if (!isMissing || seeding !== undefined) throw thrown;
      return afterSeeding(work);
    }
  }
  return {
    ...workspace,
    list: (folder) => afterSeeding(() => workspace.list(folder)),
    walk: (folder) => afterSeeding(() => workspace.walk(folder)),
    stat: (path) => seedIfMissing(() => workspace.stat(path)),
    read: (path, range) => seedIfMissing(() => workspace.read(path, range)),
    write: (path, content, expect) => afterSeeding(() => workspace.write(path, content, expect)),
    remove: (path, expect) => seedIfMissing(() => workspace.remove(path, expect)),
    restore: (path, versionId, expect) => seedIfMissing(() => workspace.restore(path, versionId, expect)),
  };
}
