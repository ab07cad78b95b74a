import { z } from "zod";
import { defineTool, type Tool } from "../agent/tool.ts";
import { byteLength } from "../lib/text.ts";
import { resolvePath } from "../workspace/paths.ts";
import { type Workspace, type WorkspaceContent, WorkspaceError } from "../workspace/workspace.ts";
import { persistentWrite } from "./persistent-write.ts";
import type { ReadEtags } from "./read-etags.ts";

const parameters = z.strictObject({
  path: z.string().describe("Path in the workspace, such as memory/2026-01-31.md; folders are made"),
  content: z.string().describe("The whole content of the file"),
});

/**
 * Creates a file, or overwrites a version that the agent has seen. Safe to replay after a crash: it never overwrites an
 * unseen version, and an existing file with the same content is success.
 */
export function writeTool(
  workspace: Pick<Workspace, "read" | "write">,
  etags: ReadEtags,
): Tool<z.infer<typeof parameters>> {
  return defineTool({
    name: "write",
    summary: "Create or overwrite files",
    description:
      "Writes a whole file: a new one, or over one that you have read and that has not changed since. To change a " +
      "part of a file use edit.",
    parameters,
    replay: "safe",
    sequential: true,
    effects: ({ path, content }) => persistentWrite(path, content),
    async run({ path: typed, content }) {
      const path = resolvePath(typed);
      const seen = etags.get(path);
      const expect = seen === undefined ? ({ kind: "new" } as const) : ({ kind: "etag", etag: seen } as const);
      try {
        const file = await workspace.write(path, content, expect);
        etags.set(path, file.etag);
        const kept = seen === undefined ? "a new file" : "the version before is kept for 30 days";
        return { text: `Wrote ${path}: ${file.size} bytes, ${kept}.` };
      } catch (thrown) {
        if (!(thrown instanceof WorkspaceError) || thrown.code !== "conflict") throw thrown;
      }
      const current = await readCurrent(workspace, path);
      if (current === undefined) {
        etags.forget(path);
        throw new Error(`${path} was deleted since you read it, so nothing was written. Write again to create it.`);
      }
      if (!hasContent(current, content)) throw new Error(refusal(path, seen !== undefined));
      etags.set(path, current.file.etag);
      return { text: `${path} has exactly this content already.` };
    },
  });
}

function refusal(path: string, wasSeen: boolean): string {
  return wasSeen
    ? `${path} changed since you read it, so nothing was written. Read it again, keep what is new there, then write.`
    : `${path} exists and you have not read it, so nothing was written. Read it first; then write replaces it.`;
}

async function readCurrent(workspace: Pick<Workspace, "read">, path: string): Promise<WorkspaceContent | undefined> {
  try {
    return await workspace.read(path);
  } catch (thrown) {
    if (thrown instanceof WorkspaceError && thrown.code === "not_found") return undefined;
    throw thrown;
  }
}

function hasContent({ bytes }: WorkspaceContent, content: string): boolean {
  return (
    bytes.length === byteLength(content) &&
    new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(bytes) === content
  );
}
