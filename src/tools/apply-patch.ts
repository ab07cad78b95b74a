import { z } from "zod";
import { defineTool, type Tool } from "../agent/tool.ts";
import { messageOf } from "../lib/errors.ts";
import { byteLength } from "../lib/text.ts";
import { resolvePath } from "../workspace/paths.ts";
import { refuseSystemFile } from "../workspace/state.ts";
import { type Workspace, WorkspaceError } from "../workspace/workspace.ts";
import { type PatchStep, parsePatch } from "./patch.ts";
import { patchText } from "./patch-text.ts";
import { persistentWrite } from "./persistent-write.ts";
import type { ReadEtags } from "./read-etags.ts";

/** The most files of one patch, and the most bytes of changed files, which are in memory together. */
const MAX_STEPS = 50;
const MAX_BYTES = 16 * 1024 * 1024;

const parameters = z.strictObject({
  input: z.string().describe("The patch, from *** Begin Patch to *** End Patch"),
});

type Files = Pick<Workspace, "read" | "stat" | "write" | "remove">;

/** A change to make once all changes of the patch are known to be possible. */
interface PlannedChange {
  /** `A notes.md`: added; M, D, R: changed, deleted, moved. */
  line: string;
  /** Bytes held in memory for it. */
  bytes: number;
  make(): Promise<void>;
}

/**
 * Changes, creates, moves and deletes several files. A patch is checked completely before anything is written; each
 * write replaces the version that was read for it. Not safe to replay: created files exist then.
 */
export function applyPatchTool(workspace: Files, etags: ReadEtags): Tool<z.infer<typeof parameters>> {
  return defineTool({
    name: "apply_patch",
    summary: "Apply multi-file patches, also to delete or move files",
    description:
      "Applies a patch to files. Between *** Begin Patch and *** End Patch, each on a line: *** Delete File: <path>, or " +
      "*** Add File: <path> and its lines with + in front, or *** Update File: <path>, perhaps *** Move to: <path>, and " +
      "passages: @@ (perhaps with a line of the file above it), then lines with a space (stays), - (goes) or + (comes) " +
      "in front. Passages follow the file's order, with enough lines around to be found.",
    parameters,
    replay: "unsafe",
    sequential: true,
    effects: ({ input }) =>
      patchPaths(input)
        .flatMap((path) => persistentWrite(path, input))
        .slice(0, 1),
    async run({ input }, call) {
      const steps = parsePatch(input).map(resolved);
      refuseTwice(steps);
      const changes = await planAll(steps, workspace, etags);
      const done: string[] = [];
      for (const { line, make } of changes) {
        call.signal.throwIfAborted();
        try {
          await make();
        } catch (thrown) {
          if (done.length === 0) throw thrown;
          throw new Error(`Stopped at ${line}: ${messageOf(thrown)}\nDone before that:\n${done.join("\n")}`, {
            cause: thrown,
          });
        }
        done.push(line);
      }
      return { text: `Done:\n${done.join("\n")}` };
    },
  });
}

function resolved(step: PatchStep): PatchStep {
  const path = writablePath(step.path);
  if (step.kind !== "update" || step.moveTo === undefined) return { ...step, path };
  return { ...step, path, moveTo: writablePath(step.moveTo) };
}

function writablePath(typed: string): string {
  const path = resolvePath(typed);
  refuseSystemFile(path);
  return path;
}

function refuseTwice(steps: readonly PatchStep[]): void {
  if (steps.length > MAX_STEPS) throw new Error(`A patch has ${MAX_STEPS} files at most; make several.`);
  const named = steps.flatMap((step) =>
    step.kind === "update" && step.moveTo ? [step.path, step.moveTo] : [step.path],
  );
  const twice = named.find((path, i) => named.indexOf(path) !== i);
  if (twice !== undefined) throw new Error(`The patch names ${twice} twice. Put its passages together.`);
}

async function planAll(steps: readonly PatchStep[], workspace: Files, etags: ReadEtags): Promise<PlannedChange[]> {
  const changes: PlannedChange[] = [];
  let bytes = 0;
  for (const step of steps) {
    const change = await plan(step, workspace, etags);
    bytes += change.bytes;
    if (bytes > MAX_BYTES) throw new Error(`The files of a patch have ${MAX_BYTES} bytes at most; make several.`);
    changes.push(change);
  }
  return changes;
}

async function plan(step: PatchStep, workspace: Files, etags: ReadEtags): Promise<PlannedChange> {
  const { path } = step;
  if (step.kind === "add") {
    if (await isThere(workspace, path)) throw new Error(`${path} exists already. Use *** Update File for it.`);
    return {
      line: `A ${path}`,
      bytes: byteLength(step.content),
      make: async () => etags.set(path, (await workspace.write(path, step.content, { kind: "new" })).etag),
    };
  }
  if (step.kind === "delete") {
    const { etag } = await workspace.stat(path);
    return { line: `D ${path}`, bytes: 0, make: () => removeFile(path, etag, workspace, etags) };
  }
  return planUpdate(step, workspace, etags);
}

async function planUpdate(
  { path, moveTo, hunks }: Extract<PatchStep, { kind: "update" }>,
  workspace: Files,
  etags: ReadEtags,
): Promise<PlannedChange> {
  const { file, bytes } = await workspace.read(path);
  const content = hunks.length === 0 ? bytes : patched(path, bytes, hunks);
  if (moveTo === undefined) {
    return {
      line: `M ${path}`,
      bytes: file.size,
      async make() {
        const written = await workspace.write(path, content, { kind: "etag", etag: file.etag });
        if (etags.get(path) === file.etag) etags.set(path, written.etag);
      },
    };
  }
  if (await isThere(workspace, moveTo)) throw new Error(`${moveTo} exists already, so ${path} is not moved there.`);
  return {
    line: `R ${path} -> ${moveTo}`,
    bytes: file.size,
    async make() {
      await workspace.write(moveTo, content, { kind: "new" });
      await removeFile(path, file.etag, workspace, etags);
    },
  };
}

function patched(path: string, bytes: Uint8Array, hunks: Extract<PatchStep, { kind: "update" }>["hunks"]): string {
  const text = decode(path, bytes);
  const mark = text.startsWith("\ufeff") ? "\ufeff" : "";
  try {
    return mark + patchText(text.slice(mark.length), hunks);
  } catch (thrown) {
    throw new Error(`${path}: ${messageOf(thrown)} Nothing was changed.`, { cause: thrown });
  }
}

function decode(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (thrown) {
    throw new Error(`${path} is not text in UTF-8, so it cannot be patched. Nothing was changed.`, { cause: thrown });
  }
}

async function removeFile(path: string, etag: string, workspace: Files, etags: ReadEtags): Promise<void> {
  await workspace.remove(path, { kind: "etag", etag });
  etags.forget(path);
}

async function isThere(workspace: Files, path: string): Promise<boolean> {
  try {
    await workspace.stat(path);
    return true;
  } catch (thrown) {
    if (thrown instanceof WorkspaceError && thrown.code === "not_found") return false;
    throw thrown;
  }
}

/** The paths that a patch names; none if it is not valid, and then the call fails. */
function patchPaths(input: string): string[] {
  try {
    return parsePatch(input).flatMap((step) =>
      "moveTo" in step && step.moveTo ? [step.path, step.moveTo] : [step.path],
    );
  } catch {
    return [];
  }
}
