import { z } from "zod";
import { defineTool, type Tool } from "../agent/tool.ts";
import { resolvePath } from "../workspace/paths.ts";
import { type Workspace, WorkspaceError } from "../workspace/workspace.ts";
import type { ReadEtags } from "./read-etags.ts";
import { applyEdits } from "./text-edit.ts";

/** How often the edits are made anew because the file changed while they were made. */
const ROUNDS = 3;

const parameters = z.strictObject({
  path: z.string().describe("Path in the workspace"),
  edits: z
    .array(
      z.strictObject({
        oldText: z.string().describe("A passage that occurs exactly once in the file"),
        newText: z.string().describe("What comes in its place"),
      }),
    )
    .min(1)
    .describe("All of them are looked for in the file as it is now; they must not overlap"),
});

/** Replaces passages of a text file. It is not safe to run again: a new passage may hold the old one. */
export function editTool(
  workspace: Pick<Workspace, "read" | "write">,
  etags: ReadEtags,
): Tool<z.infer<typeof parameters>> {
  return defineTool({
    name: "edit",
    summary: "Make precise edits to files",
    description:
      "Replaces passages of a text file. Each oldText must match the file exactly and occur once; take several edits in " +
      "one call for several places. If one of them cannot be made, none is.",
    parameters,
    replay: "unsafe",
    sequential: true,
    async run({ path: typed, edits }, call) {
      const path = resolvePath(typed);
      for (let round = 1; ; round++) {
        const { file, bytes } = await workspace.read(path);
        const edited = applyEdits(textOf(path, bytes), edits);
        call.signal.throwIfAborted();
        try {
          const written = await workspace.write(path, edited, { kind: "etag", etag: file.etag });
          if (etags.get(path) === file.etag) etags.set(path, written.etag);
          return { text: `Edited ${path}: ${edits.length === 1 ? "1 passage" : `${edits.length} passages`} replaced.` };
        } catch (thrown) {
          const isConflict = thrown instanceof WorkspaceError && thrown.code === "conflict";
          if (!isConflict || round === ROUNDS) throw thrown;
        }
      }
    },
  });
}

/** The text with its byte order mark, so that it is written back. */
function textOf(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (thrown) {
    throw new Error(`${path} is not text in UTF-8, so it cannot be edited.`, { cause: thrown });
  }
}
