import { wholeHead, wholeTail } from "../lib/text.ts";
import { decodeText, detectEncoding, type TextFaults } from "./decode-text.ts";
import { type Excerpt, excerptShares, makeExcerpt } from "./truncate.ts";
import { MAX_FILE_BYTES, type Workspace, type WorkspaceFile } from "./workspace.ts";

/** Up to this size a file is read whole, in one operation; of a larger one only the ends are read. */
const WHOLE_BYTES = 256 * 1024;

/** Most bytes per UTF-16 unit in a supported encoding. */
const BYTES_PER_CHAR = 3;

const NO_FAULTS: TextFaults = { controls: 0, broken: 0, hidden: 0 };

/**
 * The cached text of a file: as much as may be shown, and the key sections of a truncated one (unknown for a file too
 * large to be read whole).
 */
export type CachedText = CachedHead &
  (
    | { kind: "text"; excerpt: Excerpt; faults: TextFaults; keySections: string }
    | { kind: "binary"; size: number; why: "encoding" | "controls" }
  );

interface CachedHead {
  etag: string;
  /** The limit for which it was read. */
  maxChars: number;
}

/**
 * Reads as much of a text file as fits `maxChars` UTF-16 units, without byte order mark: UTF-8, or UTF-16 by its mark.
 * Anything else is `binary`.
 * @throws WorkspaceError `not_found`, `unavailable`
 */
export async function readText(
  workspace: Pick<Workspace, "read">,
  file: WorkspaceFile,
  maxChars: number,
): Promise<CachedText> {
  const isWhole = file.size <= Math.min(MAX_FILE_BYTES, Math.max(WHOLE_BYTES, BYTES_PER_CHAR * maxChars));
  return isWhole ? readWhole(workspace, file, maxChars) : readEnds(workspace, file, maxChars);
}

async function readWhole(
  workspace: Pick<Workspace, "read">,
  { path }: WorkspaceFile,
  maxChars: number,
): Promise<CachedText> {
  const { file, bytes } = await workspace.read(path);
  const decoded = decodeText({ bytes, offset: 0, isEnd: true }, detectEncoding(bytes));
  if (decoded.kind === "binary") return binary(file, maxChars, decoded.why);
  const keySections = decoded.text.length > maxChars ? extractKeySections(decoded.text) : "";
  const { text, faults } = decoded;
  return { etag: file.etag, maxChars, kind: "text", excerpt: makeExcerpt(text, maxChars), faults, keySections };
}

/** If the file changes between the two reads, only its start is used. */
async function readEnds(
  workspace: Pick<Workspace, "read">,
  { path }: WorkspaceFile,
  maxChars: number,
): Promise<CachedText> {
  const shares = excerptShares(maxChars);
  const [start, end] = await Promise.all([
    workspace.read(path, { offset: 0, length: bytesFor(shares.head) }),
    workspace.read(path, { suffix: bytesFor(shares.tail) }),
  ]);
  const { file, bytes } = start;
  const encoding = detectEncoding(bytes);
  const head = decodeText({ ...start, isEnd: false }, encoding);
  if (head.kind === "binary") return binary(file, maxChars, head.why);
  const tail = end.file.etag === file.etag ? decodeText({ ...end, isEnd: true }, encoding) : NOTHING;
  if (tail.kind === "binary") return binary(file, maxChars, tail.why);
  const rawChars = Math.round((file.size * head.text.length) / bytes.length);
  const excerpt = {
    // The characters at the cut may be incomplete.
    head: wholeHead(head.text, Math.min(shares.head, Math.max(0, head.text.length - 1))),
    tail: wholeTail(tail.text, Math.min(shares.tail, Math.max(0, tail.text.length - 1))),
    rawChars,
    exact: false,
  };
  const faults = addFaults(head.faults, tail.faults);
  return { etag: file.etag, maxChars, kind: "text", excerpt, faults, keySections: "" };
}

/** The bytes to read for `chars` UTF-16 units, up to the read limit. */
function bytesFor(chars: number): number {
  return Math.min(MAX_FILE_BYTES, BYTES_PER_CHAR * chars);
}

const NOTHING = { kind: "text", text: "", faults: NO_FAULTS } as const;

function binary({ etag, size }: WorkspaceFile, maxChars: number, why: "encoding" | "controls"): CachedText {
  return { etag, maxChars, kind: "binary", size, why };
}

function addFaults(a: TextFaults, b: TextFaults): TextFaults {
  return { controls: a.controls + b.controls, broken: a.broken + b.broken, hidden: a.hidden + b.hidden };
}

/** Headings of the key sections of AGENTS.md: OpenClaw's current and former names. */
const NAMES = ["session startup", "red lines", "every session", "safety"];

/** Most characters of key sections that are kept. */
const MAX_CHARS = 8000;

/** Extracts the key sections of an AGENTS.md with their headings, in order. */
export function extractKeySections(text: string): string {
  const sections: string[][] = [];
  let openLevel = 0;
  let fence = "";
  for (const line of text.split(/\r\n?|\n/)) {
    const [, marks = "", rest = ""] = (fence === "" && /^(#{1,6})[ \t](.*)$/.exec(line)) || [];
    if (marks !== "" && marks.length <= openLevel) openLevel = 0;
    if (openLevel === 0 && NAMES.includes(headingName(rest))) {
      openLevel = marks.length;
      sections.push([]);
    }
    if (openLevel > 0) sections.at(-1)?.push(line);
    const border = /^ {0,3}(```|~~~)/.exec(line)?.[1] ?? "";
    if (fence === "") fence = border;
    else if (border === fence) fence = "";
  }
  return wholeHead(sections.map((lines) => lines.join("\n").trim()).join("\n\n"), MAX_CHARS);
}

/** A heading's text in lower case, without closing marks. */
function headingName(heading: string): string {
  return heading
    .replace(/(?<![ \t#])[ \t#]+$/, "")
    .trim()
    .toLowerCase();
}
