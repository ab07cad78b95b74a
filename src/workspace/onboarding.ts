import { fileNamed } from "./bootstrap-names.ts";
import { isOnboarded, readState, recordOnboarding } from "./state.ts";
import { type Workspace, type WorkspaceEntry, WorkspaceError, type WorkspaceFile } from "./workspace.ts";

const BOOTSTRAP_PATH = "BOOTSTRAP.md";

/** What an isolate remembers of the first conversation of one workspace, so that it asks the store but once. */
export interface OnboardingCache {
  /** What the state said when that version of BOOTSTRAP.md was there. */
  read?: { version: string; stage: "here" | "over" };
  /** Set where a turn found it to be over: with the empty BOOTSTRAP.md that is left of it, if any. */
  over?: { leftover: WorkspaceFile | undefined };
  /** True once that is recorded. */
  isRecorded?: boolean;
}

/**
 * Whether a BOOTSTRAP.md that is there is to be followed: unless the state says that the first conversation was over
 * before. One read of the state for each version of the file, and none without a file.
 * @throws WorkspaceError `unavailable`
 */
export async function onboardingStage(
  workspace: Pick<Workspace, "read">,
  listing: readonly WorkspaceEntry[],
  memory: OnboardingCache,
): Promise<"here" | "over"> {
  const file = fileNamed(listing, BOOTSTRAP_PATH);
  if (file === undefined || file.size === 0) return "here";
  const version = `${file.path} ${file.etag} ${file.modifiedAt}`;
  if (memory.read?.version !== version) {
    memory.read = { version, stage: (await isOver(workspace)) ? "over" : "here" };
  }
  return memory.read.stage;
}

/** Notes, where the first conversation takes place, that it is over: nothing is left to follow. Settled later. */
export function noteOnboardingEnd(
  shown: readonly { path: string }[],
  listing: readonly WorkspaceEntry[],
  memory: OnboardingCache,
): void {
  const isShown = shown.some(({ path }) => path.toLowerCase() === BOOTSTRAP_PATH.toLowerCase());
  if (!isShown) memory.over = { leftover: fileNamed(listing, BOOTSTRAP_PATH) };
  else delete memory.isRecorded;
}

/**
 * Records that the first conversation is over, and clears away the empty BOOTSTRAP.md that is left of it. Two store
 * operations the first time, one from then on; doing it again changes nothing. Costs nothing once it is remembered.
 * @param now milliseconds since the epoch
 * @throws WorkspaceError `unavailable`
 */
export async function settleOnboarding(
  workspace: Pick<Workspace, "read" | "write" | "remove">,
  memory: OnboardingCache,
  now: number,
): Promise<void> {
  const { over, isRecorded = false } = memory;
  if (over === undefined || (isRecorded && over.leftover === undefined)) return;
  if (!isRecorded) await recordOnboarding(workspace, now);
  const { leftover } = over;
  if (leftover !== undefined) {
    await unlessMoved(() => workspace.remove(leftover.path, { kind: "etag", etag: leftover.etag }));
  }
  delete memory.over;
  memory.isRecorded = true;
}

/** Where nobody can tell from the state, the file itself says that there is something to follow. */
async function isOver(workspace: Pick<Workspace, "read">): Promise<boolean> {
  const read = await readState(workspace);
  return read.kind === "known" && isOnboarded(read.state);
}

/** Whoever else changed the file in the meantime has done what was to be done, or wants it otherwise. */
async function unlessMoved(change: () => Promise<unknown>): Promise<void> {
  try {
    await change();
  } catch (thrown) {
    const isMoved = thrown instanceof WorkspaceError && (thrown.code === "conflict" || thrown.code === "not_found");
    if (!isMoved) throw thrown;
  }
}
