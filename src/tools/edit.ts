import { z } from "zod";
import { defineTool, type Tool } from "../agent/tool.ts";
import { resolvePath } from "../workspace/paths.ts";
import { type Workspace, WorkspaceError } from "../workspace/workspace.ts";
import { persistentWrite } from "./persistent-write.ts";
import type { ReadEtags } from "./read-etags.ts";

/** How often the edits are retried if the file changed meanwhile. */
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
    .describe("Looked for in the file as it is now; they must not overlap"),
});

/** Replaces passages of a text file. Not safe to replay: a new passage may contain the old one. */
export function editTool(
  workspace: Pick<Workspace, "read" | "write">,
  etags: ReadEtags,
): Tool<z.infer<typeof parameters>> {
  return defineTool({
    name: "edit",
    summary: "Make precise edits to files",
    description:
      "Replaces passages of a text file. Each oldText must match the file exactly and occur once; take several " +
      "edits in one call for several places. If one cannot be made, none is.",
    parameters,
    replay: "unsafe",
    sequential: true,
    effects: ({ path, edits }) => persistentWrite(path, edits.map(({ newText }) => newText).join("\n")),
    async run({ path: typed, edits }, call) {
      const path = resolvePath(typed);
      for (let round = 1; ; round++) {
        const { file, bytes } = await workspace.read(path);
        const edited = applyEdits(decodeUtf8(path, bytes), edits);
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

/** The text with its byte order mark, which is written back. */
function decodeUtf8(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (thrown) {
    throw new Error(`${path} is not text in UTF-8, so it cannot be edited.`, { cause: thrown });
  }
}

/** One replacement. */
export interface TextEdit {
  oldText: string;
  newText: string;
}

/** A passage at `start` to `end` of the text, and its replacement. */
interface Replacement {
  /** The edit's position in the list, from 1. */
  number: number;
  start: number;
  end: number;
  replacement: string;
}

/**
 * Replaces passages of a text. Each `oldText` must occur exactly once in the original text, and no two may overlap.
 * CRLF and LF match each other; a text with CRLF gets CRLF, and the rest stays byte for byte.
 * @throws Error that says which edit is impossible, and what to do
 */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const lines = new LineEnds(text);
  const found = edits.map((edit, i) => findReplacement(lines, edit, i + 1)).sort((a, b) => a.start - b.start);
  let result = "";
  let done = 0;
  let before: Replacement | undefined;
  for (const next of found) {
    if (before !== undefined && next.start < before.end) {
      throw new Error(`Edits ${before.number} and ${next.number} overlap. Make one edit of the two.`);
    }
    result += text.slice(done, next.start) + next.replacement;
    done = next.end;
    before = next;
  }
  result += text.slice(done);
  if (result === text) throw new Error("The edits change nothing: every newText equals its oldText.");
  return result;
}

function findReplacement(lines: LineEnds, edit: TextEdit, number: number): Replacement {
  const wanted = edit.oldText.replaceAll("\r\n", "\n");
  if (wanted === "") throw new Error(`Edit ${number}: oldText is empty. Give the passage that newText replaces.`);
  const at = lines.unified.indexOf(wanted);
  if (at === -1) {
    throw new Error(
      `Edit ${number}: oldText is not in the file. It must match exactly, spaces included; read the file again.`,
    );
  }
  if (lines.unified.indexOf(wanted, at + 1) !== -1) {
    throw new Error(`Edit ${number}: oldText occurs more than once. Add lines around it until it is the only one.`);
  }
  return {
    number,
    start: lines.original(at),
    end: lines.original(at + wanted.length),
    replacement: lines.withOwnEnds(edit.newText),
  };
}

/** A text with all line breaks as LF, and the mapping back. */
class LineEnds {
  readonly unified: string;
  /** The offsets in `unified` of line breaks that are CRLF in the text. */
  readonly #crlf: number[] = [];
  readonly #isCrlf: boolean;

  constructor(text: string) {
    let at = text.indexOf("\r\n");
    this.#isCrlf = at !== -1 && at < text.indexOf("\n");
    for (; at !== -1; at = text.indexOf("\r\n", at + 2)) this.#crlf.push(at - this.#crlf.length);
    this.unified = text.replaceAll("\r\n", "\n");
  }

  /** The offset in the text of an offset in `unified`. */
  original(at: number): number {
    let low = 0;
    let high = this.#crlf.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#crlf[middle] ?? at) < at) low = middle + 1;
      else high = middle;
    }
    return at + low;
  }

  /** New text gets the line breaks of the text's first line. */
  withOwnEnds(text: string): string {
    const unified = text.replaceAll("\r\n", "\n");
    return this.#isCrlf ? unified.replaceAll("\n", "\r\n") : unified;
  }
}
