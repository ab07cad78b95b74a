import { z } from "zod";
import { defineTool, type Tool } from "../agent/tool.ts";
import { globMatcher } from "../lib/glob.ts";
import { resolveFolder } from "../workspace/paths.ts";
import { MAX_WALKED, type Workspace, type WorkspaceFile } from "../workspace/workspace.ts";

const MAX_FILES = 500;

const parameters = z.strictObject({
  pattern: z.string().describe("A glob such as *.md or memory/**/2026-*.md"),
  path: z.string().optional().describe("A folder; the root where absent"),
});

/** Finds files by their names. */
export function findTool(workspace: Pick<Workspace, "walk" | "stat">): Tool<z.infer<typeof parameters>> {
  return defineTool({
    name: "find",
    summary: "Find files by glob pattern",
    description: `Lists the files whose names match a glob, in any case and at any depth; ${MAX_FILES} at most.`,
    parameters,
    replay: "safe",
    sequential: false,
    async run({ pattern, path = "" }) {
      const { files, notes } = await filesBelow(workspace, path, pattern);
      const lines = files.slice(0, MAX_FILES).map((file) => `${file.path}  ${file.size}`);
      if (files.length === 0) lines.push(`(No file matches ${pattern}.)`);
      if (files.length > MAX_FILES) notes.unshift(`The first ${MAX_FILES} of ${files.length} files.`);
      return { text: [...lines, ...notes.map((note) => `[${note}]`)].join("\n") };
    },
  });
}

/** From this number on, a walk may have left out files: not all keys of R2 are files. */
const MANY = MAX_WALKED - 1000;

/** Files by path, and notes about files that were not examined. */
export interface FoundFiles {
  files: WorkspaceFile[];
  notes: string[];
}

/**
 * The files below a folder that match a glob, by path; for the path of a file, that file.
 * @param typed a path as a model writes it
 * @throws Error if nothing is there, or the glob is invalid
 */
export async function filesBelow(
  workspace: Pick<Workspace, "walk" | "stat">,
  typed: string,
  glob: string | undefined,
): Promise<FoundFiles> {
  const folder = resolveFolder(typed);
  const matches = glob === undefined ? () => true : globMatcher(glob);
  const found = await workspace.walk(folder);
  if (found.length === 0 && folder !== "") return { files: [await workspace.stat(folder)], notes: [] };
  const start = folder === "" ? 0 : folder.length + 1;
  const notes = found.length < MANY ? [] : [`Only the first ${found.length} files were examined: name a folder.`];
  return { files: found.filter(({ path }) => matches(path) || matches(path.slice(start))), notes };
}
