import { joinLabels, type Label } from "../security/labels.ts";
import { decodeText, detectEncoding } from "./decode-text.ts";
import { type FileLabels, isLabelledByLine, relabelLines } from "./file-labels.ts";
import type { Workspace, WorkspaceContent, WorkspaceFile } from "./workspace.ts";

/** Most labelled files whose content is remembered for a later write. */
const MAX_KNOWN = 50;

/**
 * A workspace for the tools of a turn: what it writes inherits the labels of the turn, and of the labelled file that it
 * replaces as far as that was read here. In memory files labels belong to lines.
 * @param current the labels of the turn at this moment
 * @param check throws if a file with these labels may not be written
 */
export function labelledWorkspace(
  workspace: Workspace,
  current: () => readonly Label[],
  check: (path: string, labels: readonly Label[]) => void,
): Workspace {
  /** The labelled files that were read, by path. */
  const known = new Map<string, WorkspaceContent>();
  const note = (content: WorkspaceContent): WorkspaceContent => {
    known.delete(content.file.path);
    if (content.file.labels !== undefined) known.set(content.file.path, content);
    const [oldest] = known.keys();
    if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest);
    return content;
  };
  return {
    ...workspace,
    async read(path, range) {
      const content = await workspace.read(path, range);
      return range === undefined ? note(content) : content;
    },
    async remove(path, expect) {
      check(path, []);
      return workspace.remove(path, expect);
    },
    async write(path, content, expect, given) {
      check(path, given?.labels ?? []);
      const labels = joinLabels(current(), given?.labels);
      const before = known.get(path);
      if (labels.length === 0 && before === undefined) return workspace.write(path, content, expect);
      const written = await labelsOfWrite({ path, content, labels, before }, workspace);
      const file: WorkspaceFile = await workspace.write(path, content, expect, written);
      known.delete(path);
      return file;
    },
  };
}

interface LabelledWrite {
  path: string;
  content: Uint8Array | string;
  /** Those of the turn. */
  labels: readonly Label[];
  /** The labelled file that it replaces, as it was read. */
  before: WorkspaceContent | undefined;
}

async function labelsOfWrite(
  { path, content, labels, before }: LabelledWrite,
  workspace: Pick<Workspace, "read">,
): Promise<FileLabels | undefined> {
  const text = typeof content === "string" ? content : textOf(content);
  if (!isLabelledByLine(path) || text === undefined) {
    const all = joinLabels(before?.file.labels?.labels, labels);
    return all.length === 0 ? undefined : { labels: all };
  }
  const old = before ?? (await workspace.read(path).catch(() => undefined));
  const oldText = old && textOf(old.bytes);
  const known = oldText === undefined ? undefined : { text: oldText, labels: old?.file.labels };
  return relabelLines(known, text, labels);
}

/** The text of a file; undefined if it is none. */
export function textOf(bytes: Uint8Array): string | undefined {
  const decoded = decodeText({ bytes, offset: 0, isEnd: true }, detectEncoding(bytes));
  return decoded.kind === "text" ? decoded.text : undefined;
}
