import agents from "./templates/AGENTS.md";
import bootstrap from "./templates/BOOTSTRAP.md";
import heartbeat from "./templates/HEARTBEAT.md";
import identity from "./templates/IDENTITY.md";
import soul from "./templates/SOUL.md";
import tools from "./templates/TOOLS.md";
import user from "./templates/USER.md";
import { type Workspace, type WorkspaceEntry, WorkspaceError, type WorkspaceFile } from "./workspace.ts";

/** Where it is recorded that a workspace was seeded, and that its first conversation is over. */
export const STATE_PATH = ".openclaw/workspace-state.json";

const STATE_FOLDER = ".openclaw";
const BOOTSTRAP_PATH = "BOOTSTRAP.md";

const TEMPLATES: Readonly<Record<string, string>> = {
  "AGENTS.md": agents,
  "SOUL.md": soul,
  "TOOLS.md": tools,
  "IDENTITY.md": identity,
  "USER.md": user,
  "HEARTBEAT.md": heartbeat,
};

/** Names in the root, in lower case, that show that somebody has lived here. */
const TRACES = [...Object.keys(TEMPLATES), "BOOTSTRAP.md", "MEMORY.md", "memory"].map((name) => name.toLowerCase());

/**
 * Furnishes a workspace and gives its root as it is afterwards. Where the listing shows the state folder, that was done
 * before and nothing is asked of the store. Files that are there stay as they are; a workspace that came from
 * elsewhere gets what it lacks, but not BOOTSTRAP.md, which is for a new one only.
 *
 * BOOTSTRAP.md is written first and the state last: after a crash in between the next call goes on. Two callers at
 * once each write what the other has not.
 * @param now milliseconds since the epoch
 */
export async function seedWorkspace(
  workspace: Workspace,
  listing: readonly WorkspaceEntry[],
  now: number,
): Promise<readonly WorkspaceEntry[]> {
  if (isSeeded(listing)) return listing;
  const present = new Set(listing.map((entry) => entry.path.toLowerCase()));
  const isNew = !TRACES.some((name) => present.has(name));
  const first = isNew ? [await writeNew(workspace, BOOTSTRAP_PATH, withoutFrontMatter(bootstrap))] : [];
  const rest = await Promise.all(
    Object.entries(TEMPLATES)
      .filter(([path]) => !present.has(path.toLowerCase()))
      .map(([path, template]) => writeNew(workspace, path, withoutFrontMatter(template))),
  );
  const at = new Date(now).toISOString();
  const onboarding = isNew || present.has(BOOTSTRAP_PATH.toLowerCase());
  const state = { version: 1, ...(onboarding ? { bootstrapSeededAt: at } : { onboardingCompletedAt: at }) };
  await writeNew(workspace, STATE_PATH, format(state));
  const written = [...first, ...rest];
  if (written.includes(undefined)) return workspace.list("");
  const folder: WorkspaceEntry = { kind: "folder", path: STATE_FOLDER };
  return [...listing, folder, ...written.filter((file) => file !== undefined)].sort((a, b) =>
    a.path < b.path ? -1 : 1,
  );
}

/** Whether a workspace was furnished, by its root. */
export function isSeeded(listing: readonly WorkspaceEntry[]): boolean {
  return listing.some((entry) => entry.path === STATE_FOLDER);
}

/**
 * Records that the first conversation is over, once BOOTSTRAP.md is gone or empty. Costs no store operation before that,
 * one read afterwards, and one write the first time; meant for the start of a session.
 * @param now milliseconds since the epoch
 */
export async function recordOnboarding(
  workspace: Workspace,
  listing: readonly WorkspaceEntry[],
  now: number,
): Promise<void> {
  const isOngoing = listing.some((entry) => entry.kind === "file" && entry.path === BOOTSTRAP_PATH && entry.size > 0);
  if (!isSeeded(listing) || isOngoing) return;
  try {
    const { file, bytes } = await workspace.read(STATE_PATH);
    const state: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof state !== "object" || state === null || "onboardingCompletedAt" in state) return;
    const done = { ...state, onboardingCompletedAt: new Date(now).toISOString() };
    await workspace.write(STATE_PATH, format(done), { kind: "etag", etag: file.etag });
  } catch (thrown) {
    if (!isHarmless(thrown)) throw thrown;
  }
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

/** Somebody else recorded it, or the state was deleted or is not ours to read: then there is nothing to record. */
function isHarmless(thrown: unknown): boolean {
  if (thrown instanceof SyntaxError) return true;
  return thrown instanceof WorkspaceError && (thrown.code === "conflict" || thrown.code === "not_found");
}

function withoutFrontMatter(template: string): string {
  return template.replace(/^---\r?\n[\s\S]*?\r?\n---\r?\n\s*/, "");
}

function format(state: object): string {
  return `${JSON.stringify(state, null, 2)}\n`;
}
