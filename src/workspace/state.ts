import { z } from "zod";
import { type Workspace, WorkspaceError } from "./workspace.ts";

/** The state file: whether the workspace was seeded and onboarding is over. The same path as OpenClaw's. */
export const STATE_PATH = ".openclaw/workspace-state.json";

/** The folder of system files in a workspace. */
export const STATE_FOLDER = ".openclaw";

/** The format version, the same as OpenClaw's. */
const VERSION = 1;

/** Instants are ISO 8601. Unknown fields of OpenClaw or later versions are kept. */
const stateSchema = z.looseObject({
  version: z.number(),
  bootstrapSeededAt: z.string().optional(),
  onboardingCompletedAt: z.string().optional(),
  /** Later versions of OpenClaw name the end of onboarding so. */
  setupCompletedAt: z.string().optional(),
});

/** A workspace's recorded state. */
export type WorkspaceState = z.output<typeof stateSchema>;

/** The result of reading the state; `damaged` cannot be parsed. */
export type ReadState =
  | { kind: "known"; state: WorkspaceState; etag: string }
  | { kind: "damaged"; why: string; etag: string }
  | { kind: "none" };

/** Reads the state. One store operation. @throws WorkspaceError `unavailable` */
export async function readState(workspace: Pick<Workspace, "read">): Promise<ReadState> {
  try {
    const { file, bytes } = await workspace.read(STATE_PATH);
    return { ...parseState(new TextDecoder().decode(bytes)), etag: file.etag };
  } catch (thrown) {
    if (!(thrown instanceof WorkspaceError)) throw thrown;
    if (thrown.code === "not_found") return { kind: "none" };
    if (thrown.code === "too_large") return { kind: "damaged", why: thrown.message, etag: "" };
    throw thrown;
  }
}

/** Writes the initial state if there is none. @throws WorkspaceError `unavailable` */
export async function recordSeeding(
  workspace: Pick<Workspace, "write">,
  mark: "bootstrapSeededAt" | "onboardingCompletedAt",
  now: number,
): Promise<void> {
  const state: WorkspaceState = { version: VERSION, [mark]: new Date(now).toISOString() };
  await unlessChanged(workspace.write(STATE_PATH, format(state), { kind: "new" }));
}

/**
 * Records the end of onboarding. One read, and one write the first time. A damaged, newer or missing state is left
 * alone.
 * @param now milliseconds since the epoch
 * @throws WorkspaceError `unavailable`
 */
export async function recordOnboarding(workspace: Pick<Workspace, "read" | "write">, now: number): Promise<void> {
  const read = await readState(workspace);
  if (read.kind !== "known" || read.state.version !== VERSION || isOnboarded(read.state)) return;
  const done = { ...read.state, onboardingCompletedAt: new Date(now).toISOString() };
  await unlessChanged(workspace.write(STATE_PATH, format(done), { kind: "etag", etag: read.etag }));
}

/** Whether onboarding is over. */
export function isOnboarded({ onboardingCompletedAt, setupCompletedAt }: WorkspaceState): boolean {
  return onboardingCompletedAt !== undefined || setupCompletedAt !== undefined;
}

function parseState(text: string): { kind: "known"; state: WorkspaceState } | { kind: "damaged"; why: string } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    return { kind: "damaged", why: `It is not JSON: ${thrown.message}` };
  }
  const parsed = stateSchema.safeParse(json);
  return parsed.success
    ? { kind: "known", state: parsed.data }
    : { kind: "damaged", why: z.prettifyError(parsed.error) };
}

/** Ignores a concurrent writer of the same state. */
async function unlessChanged(writing: Promise<unknown>): Promise<void> {
  try {
    await writing;
  } catch (thrown) {
    if (!(thrown instanceof WorkspaceError && thrown.code === "conflict")) throw thrown;
  }
}

function format(state: WorkspaceState): string {
  return `${JSON.stringify(state, null, 2)}\n`;
}

/** A workspace in which `.openclaw/` is read-only, for agents. */
export function protectSystemFiles(workspace: Workspace): Workspace {
  return {
    ...workspace,
    async write(path, content, expect, labels) {
      refuseSystemFile(path);
      return workspace.write(path, content, expect, labels);
    },
    async remove(path, expect) {
      refuseSystemFile(path);
      return workspace.remove(path, expect);
    },
    async restore(path, versionId, expect) {
      refuseSystemFile(path);
      return workspace.restore(path, versionId, expect);
    },
  };
}

/** @throws WorkspaceError `bad_path` for a system file */
export function refuseSystemFile(path: string): void {
  if (path.split("/")[0]?.toLowerCase() !== STATE_FOLDER) return;
  const message = `\`${path}\` is in ${STATE_FOLDER}/, which the system keeps for itself: take another folder.`;
  throw new WorkspaceError("bad_path", path, message);
}
