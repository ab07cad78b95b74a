import { fileNamed } from "./bootstrap-names.ts";
import { isOnboarded, readState, recordOnboarding } from "./state.ts";
import { type Workspace, type WorkspaceEntry, WorkspaceError, type WorkspaceFile } from "./workspace.ts";

const BOOTSTRAP_PATH = "BOOTSTRAP.md";

/** Onboarding state of one workspace, cached in the isolate to save store reads. */
export interface OnboardingCache {
  /** The stage when this version of BOOTSTRAP.md was checked. */
  read?: { version: string; stage: "here" | "over" };
  /** Set once a turn finds onboarding over; `leftover` is the empty BOOTSTRAP.md that remains, if any. */
  over?: { leftover: WorkspaceFile | undefined };
  /** Whether that is recorded. */
  isRecorded?: boolean;
}

/**
 * Whether BOOTSTRAP.md applies: unless the state says that onboarding was over before. One read of the state per
 * version of the file, and none without a file.
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

/** Notes that onboarding is over once BOOTSTRAP.md is no longer shown. `settleOnboarding` records it. */
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
 * Records the end of onboarding and deletes the empty BOOTSTRAP.md. Two store operations the first time, then one;
 * idempotent. Free once cached.
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

/** Without a readable state onboarding is not over: BOOTSTRAP.md exists, so it applies. */
async function isOver(workspace: Pick<Workspace, "read">): Promise<boolean> {
  const read = await readState(workspace);
  return read.kind === "known" && isOnboarded(read.state);
}

/** Ignores a concurrent change of the file. */
async function unlessMoved(change: () => Promise<unknown>): Promise<void> {
  try {
    await change();
  } catch (thrown) {
    const isMoved = thrown instanceof WorkspaceError && (thrown.code === "conflict" || thrown.code === "not_found");
    if (!isMoved) throw thrown;
  }
}
