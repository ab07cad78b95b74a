import { z } from "zod";
import { defineTool, type Tool } from "../agent/tool.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { filesBelow } from "./files-below.ts";

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
