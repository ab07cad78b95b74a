import { z } from "zod";
import { defineTool, type Tool } from "../agent/tool.ts";
import { globMatcher } from "../lib/glob.ts";
import { resolveFolder } from "../workspace/paths.ts";
import { MAX_WALKED, type Workspace, type WorkspaceFile } from "../workspace/workspace.ts";

const MAX_FILES = 500;

const parameters = z.strictObject({
  pattern: z.string().describe("A glob such as *.md or memory/**/2026-*.md"),
  path: z.string().optional().describe("A folder to look in; the root where none is given"),
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

/** So close to the most that a walk finds, some may have been left out: not all keys of R2 are files. */
const MANY = MAX_WALKED - 1000;

/** Files by path, and what is to be said of those that were not looked at. */
export interface FoundFiles {
  files: WorkspaceFile[];
  notes: string[];
}

/**
 * The files below a folder that a glob names, by path; of a path that is a file, that one.
 * @param typed as a model writes it
 * @throws Error where there is neither, or the glob is none
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
  const notes =
    found.length < MANY ? [] : [`Of so many files only the first ${found.length} were looked at: name a folder.`];
  return { files: found.filter(({ path }) => matches(path) || matches(path.slice(start))), notes };
}
