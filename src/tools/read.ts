import { z } from "zod";
import { defineTool, type Tool, type ToolOutput } from "../agent/tool.ts";
import type { OutsidePort } from "../security/from-outside.ts";
import { withBaseDir } from "../skills/skill.ts";
import type { FileLabels } from "../workspace/file-labels.ts";
import { isPdf } from "../workspace/media-type.ts";
import { resolvePath } from "../workspace/paths.ts";
import { isPrivatePath } from "../workspace/private-paths.ts";
import { type Workspace, WorkspaceError } from "../workspace/workspace.ts";
import { decodeFileText, excerptLines, fileOutput, type LineRange, MAX_LINES } from "./file-output.ts";
import { fenced, labelledText, labelsOf } from "./labelled-text.ts";
import type { ReadEtags } from "./read-etags.ts";
import { addressIn, addressText, type Resources, readAddress } from "./resources.ts";
import { readServerResource, type ServerResources, serverAddressIn, serverEffects } from "./server-resources.ts";

const parameters = z.strictObject({
  path: z.string().describe("Path in the workspace, such as memory/2026-01-31.md, or an address such as docs://index"),
  offset: z.int().min(1).optional().describe("First line to show, counted from 1"),
  limit: z.int().min(1).optional().describe(`Number of lines to show, ${MAX_LINES} at most`),
});

/** The folders of workspace skills in the shell. */
export interface SkillFolders {
  /** The folder of the skill whose SKILL.md is at a workspace path; undefined if it is no usable skill. */
  baseDirOf(path: string): string | undefined;
}

/** Shows a text file or PDF, a part of one, or an image; also a page outside of the workspace. */
export function readTool(
  workspace: Pick<Workspace, "read" | "list">,
  etags: ReadEtags,
  resources: Resources,
  skills: SkillFolders,
  outside: OutsidePort,
  servers: ServerResources | undefined,
): Tool<z.infer<typeof parameters>> {
  return defineTool({
    name: "read",
    summary: "Read file contents",
    description:
      `Shows a text file of the workspace, up to ${MAX_LINES} lines or 50 KB at a time, and says how to read on with ` +
      "offset; of a PDF the text; a PNG, JPEG, GIF or WebP as an image.",
    parameters,
    replay: "safe",
    sequential: false,
    effects: ({ path }) => [
      ...(isPrivatePath(path) ? [{ kind: "read", what: path } as const] : []),
      ...serverEffects(path, servers),
    ],
    async run({ path: typed, offset, limit = MAX_LINES }, call) {
      const remote = serverAddressIn(typed);
      if (remote !== undefined)
        return readServerResource(remote, servers, { lines: { from: offset ?? 1, limit }, call, outside });
      const address = addressIn(typed);
      if (address !== undefined) {
        const { content, line } = await readAddress(resources, address);
        return fileOutput(addressText(address), content, { from: offset ?? line, limit });
      }
      const path = resolvePath(typed);
      const { file, bytes } = await readOrExplain(workspace, etags, path);
      etags.set(path, file.etag);
      const lines = { from: offset ?? 1, limit };
      if (isPdf(bytes)) return pdfOutput({ path, bytes, labels: file.labels }, lines, outside);
      const baseDir = skills.baseDirOf(path);
      const output = baseDir === undefined ? fileOutput(path, bytes, lines) : skillOutput(path, bytes, baseDir, lines);
      if (output.images !== undefined) return file.labels ? { ...output, labels: labelsOf(path, file.labels) } : output;
      return { ...output, ...labelledText(path, output.text, file.labels, outside) };
    },
  });
}

/** Lines of a PDF's text, fenced: whoever wrote it need not be the owner. @throws Error that says why it has none */
async function pdfOutput(
  { path, bytes, labels }: { path: string; bytes: Uint8Array; labels: FileLabels | undefined },
  { from, limit }: LineRange,
  outside: OutsidePort,
): Promise<ToolOutput> {
  const { readPdf } = await import("../extract/read-pdf.ts");
  const { text, note } = await readPdf(bytes);
  const words = fenced(excerptLines(text, from, limit), labelsOf(path, labels ?? { labels: [] }), outside);
  return note === undefined ? words : { ...words, text: `${words.text}\n[${note}]` };
}

async function readOrExplain(workspace: Pick<Workspace, "read" | "list">, etags: ReadEtags, path: string) {
  try {
    return await workspace.read(path);
  } catch (thrown) {
    if (!(thrown instanceof WorkspaceError) || thrown.code !== "not_found") throw thrown;
    etags.forget(path);
    const isFolder = (await workspace.list(path)).length > 0;
    throw isFolder ? new Error(`${path} is a folder. Use ls to see what is in it.`) : thrown;
  }
}

/** A SKILL.md with its folder filled in, and a note about the difference for agents that edit it. */
function skillOutput(path: string, bytes: Uint8Array, baseDir: string, lines: LineRange): ToolOutput {
  const text = decodeFileText(path, bytes);
  const followed = withBaseDir(text, baseDir);
  const output = fileOutput(path, followed, lines);
  if (followed === text) return output;
  return { ...output, text: `${output.text}\n[The file has {baseDir} where this shows ${baseDir}.]` };
}
