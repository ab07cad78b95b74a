import { z } from "zod";
import { defineTool, type Tool, type ToolOutput } from "../agent/tool.ts";
import { decodeText, encodingOf, showControls } from "../workspace/decode-text.ts";
import { imageTypeOf } from "../workspace/media-type.ts";
import { resolvePath } from "../workspace/paths.ts";
import { type Workspace, WorkspaceError } from "../workspace/workspace.ts";
import { excerptLines, MAX_LINES } from "./line-excerpt.ts";
import type { ReadEtags } from "./read-etags.ts";
import { addressIn, type Resources, readAddress } from "./resources.ts";

const parameters = z.strictObject({
  path: z.string().describe("Path in the workspace, such as memory/2026-01-31.md, or an address such as docs://index"),
  offset: z.int().min(1).optional().describe("First line to show, counted from 1"),
  limit: z.int().min(1).optional().describe(`Number of lines to show, ${MAX_LINES} at most`),
});

/** Shows a text file, or a part of one, or an image; also a page that is not in the workspace. */
export function readTool(
  workspace: Pick<Workspace, "read" | "list">,
  etags: ReadEtags,
  resources: Resources,
): Tool<z.infer<typeof parameters>> {
  return defineTool({
    name: "read",
    summary: "Read file contents",
    description:
      `Shows a text file of the workspace, up to ${MAX_LINES} lines or 50 KB at a time; of a longer one it shows a part ` +
      "and says how to read on with offset. A PNG, JPEG, GIF or WebP image is shown as an image.",
    parameters,
    replay: "safe",
    sequential: false,
    async run({ path: typed, offset, limit = MAX_LINES }) {
      const address = addressIn(typed);
      if (address !== undefined) {
        const { text, line } = await readAddress(resources, address);
        return { text: excerptLines(text, offset ?? line, limit) };
      }
      const path = resolvePath(typed);
      const { file, bytes } = await readOrExplain(workspace, etags, path);
      etags.set(path, file.etag);
      const mediaType = imageTypeOf(bytes);
      if (mediaType !== undefined) return imageOf(path, mediaType, bytes.length);
      return { text: excerptLines(textOf(path, bytes), offset ?? 1, limit) };
    },
  });
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

/** As the prompt shows files: UTF-16 where its mark says so, and control characters that providers refuse as pictures. */
function textOf(path: string, bytes: Uint8Array): string {
  const encoding = encodingOf(bytes);
  const decoded = decodeText({ bytes, offset: 0, isEnd: true }, encoding);
  if (decoded.kind === "text") return decoded.text;
  if (decoded.why === "controls") return showControls(new TextDecoder(encoding).decode(bytes));
  throw new Error(`${path} is not text in UTF-8 (${bytes.length} bytes), so it cannot be shown.`);
}

function imageOf(path: string, mediaType: string, size: number): ToolOutput {
  return { text: `${path} is an image (${mediaType}, ${size} bytes).`, images: [{ path, mediaType }] };
}
