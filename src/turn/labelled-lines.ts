import { TRANSCRIPTS } from "../memory/memory-paths.ts";
import { labelsOf } from "../tools/labelled-text.ts";
import type { LabelledLines } from "../tools/memory-hits.ts";
import { lineHash } from "../workspace/file-labels.ts";
import { textOf } from "../workspace/labelled.ts";
import { type Workspace, WorkspaceError } from "../workspace/workspace.ts";

/**
 * The labelled lines of memory files, by path. One store operation for each file, two for a labelled one. Transcripts
 * have no labels of their own: all of them are fenced.
 */
export async function labelledLines(
  paths: readonly string[],
  workspace: Pick<Workspace, "stat" | "read">,
): Promise<ReadonlyMap<string, LabelledLines>> {
  const files = paths.filter((path) => !path.startsWith(TRANSCRIPTS));
  const found = await Promise.all(
    files.map(async (path) => {
      const lines = await linesOf(path, workspace);
      return lines === undefined ? [] : [[path, lines] as const];
    }),
  );
  return new Map(found.flat());
}

async function linesOf(path: string, workspace: Pick<Workspace, "stat" | "read">): Promise<LabelledLines | undefined> {
  try {
    const { labels: file } = await workspace.stat(path);
    if (file === undefined) return undefined;
    const labels = labelsOf(path, file);
    if (file.lines === undefined) return { labels, has: () => true };
    const { bytes } = await workspace.read(path);
    const hashes = (textOf(bytes) ?? "").split("\n").map(lineHash);
    return {
      labels,
      has(line) {
        const hash = hashes[line - 1];
        return hash !== undefined && (file.lines?.has(hash) ?? true);
      },
    };
  } catch (thrown) {
    if (thrown instanceof WorkspaceError && thrown.code !== "unavailable") return undefined;
    throw thrown;
  }
}
