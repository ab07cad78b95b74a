import { type Excerpt, excerptOf, sharesOf } from "./truncate.ts";
import type { Workspace, WorkspaceContent, WorkspaceFile } from "./workspace.ts";

/** Up to here a file is read whole, which costs one operation; of a larger one only the ends are read. */
const WHOLE_BYTES = 256 * 1024;

/** The most bytes that UTF-8 takes for one UTF-16 unit. */
const BYTES_PER_CHAR = 3;

/** What is remembered of a file's text: as much as may be shown of it. */
export type CachedText = CachedHead & ({ kind: "text"; excerpt: Excerpt } | { kind: "binary"; size: number });

interface CachedHead {
  etag: string;
  /** The limit that it was read for. */
  maxChars: number;
}

/**
 * Reads as much of a text file as `maxChars` UTF-16 units can show, without its byte order mark. A file that is not
 * UTF-8, or that has a NUL, is `binary`.
 * @throws WorkspaceError `not_found`, `unavailable`
 */
export async function readText(
  workspace: Pick<Workspace, "read">,
  file: WorkspaceFile,
  maxChars: number,
): Promise<CachedText> {
  if (file.size <= Math.max(WHOLE_BYTES, BYTES_PER_CHAR * maxChars)) {
    const content = await workspace.read(file.path);
    const text = decode(content);
    return remembered(content.file, maxChars, text === undefined ? undefined : excerptOf(text, maxChars));
  }
  const shares = sharesOf(maxChars);
  const [start, end] = await Promise.all([
    workspace.read(file.path, { offset: 0, length: BYTES_PER_CHAR * shares.head }),
    workspace.read(file.path, { suffix: BYTES_PER_CHAR * shares.tail }),
  ]);
  const head = decode(start);
  const tail = end.file.etag === start.file.etag ? decode(end) : "";
  if (head === undefined || tail === undefined) return remembered(start.file, maxChars, undefined);
  const rawChars = Math.round((start.file.size * head.length) / start.bytes.length);
  return remembered(start.file, maxChars, { head, tail, rawChars, exact: false });
}

function remembered(file: WorkspaceFile, maxChars: number, excerpt: Excerpt | undefined): CachedText {
  const known = { etag: file.etag, maxChars };
  return excerpt === undefined ? { ...known, kind: "binary", size: file.size } : { ...known, kind: "text", excerpt };
}

/** The text of a file or of a part of one, without the halves of characters at the part's ends; undefined for no text. */
function decode({ file, bytes, offset }: WorkspaceContent): string | undefined {
  const isEnd = offset + bytes.length === file.size;
  let from = 0;
  while (offset > 0 && from < BYTES_PER_CHAR && isContinuation(bytes[from])) from++;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes.subarray(from), {
      stream: !isEnd,
    });
    return text.includes("\0") ? undefined : text;
  } catch (thrown) {
    if (thrown instanceof TypeError) return undefined;
    throw thrown;
  }
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000;
}
