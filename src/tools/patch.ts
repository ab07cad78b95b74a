/** One file of a patch and its change. */
export type PatchStep =
  | { kind: "add"; path: string; content: string }
  | { kind: "delete"; path: string }
  | { kind: "update"; path: string; moveTo?: string; hunks: Hunk[] };

/** A passage of a file: unchanged, removed and added lines in order. */
export interface Hunk {
  /** A line before the passage. */
  heading?: string;
  lines: HunkLine[];
  /** Whether the passage is the end of the file. */
  atEnd: boolean;
}

export interface HunkLine {
  op: "keep" | "remove" | "add";
  text: string;
}

const BEGIN = "*** Begin Patch";
const END = "*** End Patch";
const END_OF_FILE = "*** End of File";
const OPS: Readonly<Record<string, HunkLine["op"]>> = { " ": "keep", "-": "remove", "+": "add" };

/**
 * Parses a patch in the format of OpenClaw's `apply_patch`.
 * @throws Error that names the wrong line
 */
export function parsePatch(input: string): PatchStep[] {
  const lines = new PatchReader(input);
  if (lines.next()?.trim() !== BEGIN) throw new Error(`A patch begins with the line \`${BEGIN}\`.`);
  const steps: PatchStep[] = [];
  for (let line = lines.next(); line?.trim() !== END; line = lines.next()) {
    if (line === undefined) throw new Error(`The patch does not end with the line \`${END}\`.`);
    if (line.trim() !== "") steps.push(readStep(line, lines));
  }
  if (steps.length === 0) throw new Error("The patch is empty: it names no file.");
  return steps;
}

/** Reads the lines of a patch in order, with their numbers for errors. */
class PatchReader {
  readonly #lines: string[];
  #at = 0;

  constructor(input: string) {
    this.#lines = input.trim().split(/\r?\n/);
  }

  next(): string | undefined {
    return this.#lines[this.#at++];
  }

  /** The next line if it passes the test; else it is not consumed. */
  nextIf(passes: (line: string) => boolean): string | undefined {
    const line = this.#lines[this.#at];
    if (line === undefined || !passes(line)) return undefined;
    this.#at++;
    return line;
  }

  fault(what: string): Error {
    return new Error(`Line ${this.#at} of the patch: ${what}`);
  }
}

function readStep(line: string, lines: PatchReader): PatchStep {
  const [, verb, named] = /^\*\*\* (Add|Delete|Update) File: (.*)$/.exec(line.trimEnd()) ?? [];
  const path = named?.trim();
  if (verb === undefined || path === undefined || path === "") {
    throw lines.fault("expected `*** Add File: <path>`, `*** Update File: <path>` or `*** Delete File: <path>`.");
  }
  if (verb === "Delete") return { kind: "delete", path };
  if (verb === "Add") return { kind: "add", path, content: readContent(lines) };
  const moveTo = lines
    .nextIf((next) => next.startsWith("*** Move to: "))
    ?.slice("*** Move to: ".length)
    .trim();
  const hunks = readHunks(lines);
  if (hunks.length === 0 && moveTo === undefined) throw lines.fault(`there are no changes for ${path}.`);
  return { kind: "update", path, ...(moveTo !== undefined && { moveTo }), hunks };
}

function readContent(lines: PatchReader): string {
  let content = "";
  for (;;) {
    const line = lines.nextIf((next) => next.startsWith("+"));
    if (line !== undefined) content += `${line.slice(1)}\n`;
    else if (lines.nextIf((next) => !next.startsWith("***")) === undefined) return content;
    else throw lines.fault("every line of a new file begins with `+`.");
  }
}

function readHunks(lines: PatchReader): Hunk[] {
  const hunks: Hunk[] = [];
  for (;;) {
    const heading = lines
      .nextIf((line) => line === "@@" || line.startsWith("@@ "))
      ?.slice(2)
      .trim();
    const hunkLines = readHunkLines(lines);
    if (hunkLines.length === 0) {
      if (heading !== undefined) throw lines.fault("there are no lines below `@@`.");
      return hunks;
    }
    const atEnd = lines.nextIf((line) => line.trim() === END_OF_FILE) !== undefined;
    hunks.push({ ...(heading && { heading }), lines: hunkLines, atEnd });
  }
}

function readHunkLines(lines: PatchReader): HunkLine[] {
  const found: HunkLine[] = [];
  for (;;) {
    const line = lines.nextIf((next) => !next.startsWith("***") && next !== "@@" && !next.startsWith("@@ "));
    if (line === undefined) return found;
    // Models omit the single space of an empty line.
    const op = line === "" ? "keep" : OPS[line.slice(0, 1)];
    if (op === undefined) throw lines.fault("a line begins with a space (it stays), `-` (it goes) or `+` (it comes).");
    found.push({ op, text: line.slice(1) });
  }
}
