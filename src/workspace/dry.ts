import { digestOf } from "../lib/digest.ts";
import {
  type ByteRange,
  type Workspace,
  type WorkspaceContent,
  WorkspaceError,
  type WorkspaceFile,
} from "./workspace.ts";

/**
 * A workspace that keeps changes in memory only, where its own reads and listings see them. A preview of a first turn
 * can seed it without storing anything.
 * @param now milliseconds since the epoch
 */
export function dryWorkspace(workspace: Workspace, now: number): Workspace {
  /** Null for a deleted file. */
  const changed = new Map<string, WorkspaceContent | null>();
  const files = () => [...changed.values()].flatMap((content) => (content === null ? [] : [content.file]));
  const overlaid = async (path: string) => {
    const ours = changed.get(path);
    if (ours === null) throw new WorkspaceError("not_found", path, `\`${path}\` does not exist.`);
    return ours;
  };
  return {
    async list(folder) {
      const stored = (await workspace.list(folder)).filter(({ path }) => !changed.has(path));
      return [...stored, ...files().filter(({ path }) => parentFolder(path) === folder)].sort(byPath);
    },
    async walk(folder) {
      const stored = (await workspace.walk(folder)).filter(({ path }) => !changed.has(path));
      const isBelow = ({ path }: WorkspaceFile) => folder === "" || path.startsWith(`${folder}/`);
      return [...stored, ...files().filter(isBelow)].sort(byPath);
    },
    async stat(path) {
      return (await overlaid(path))?.file ?? workspace.stat(path);
    },
    async read(path, range) {
      const ours = await overlaid(path);
      return ours === undefined ? workspace.read(path, range) : part(ours, range);
    },
    async write(path, content, expect) {
      const isThere = changed.get(path) ?? undefined;
      if (expect.kind === "new" && isThere) throw new WorkspaceError("conflict", path, `\`${path}\` exists already.`);
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
      const etag = await digestOf("MD5", bytes);
      const file: WorkspaceFile = { kind: "file", path, etag, size: bytes.length, modifiedAt: now };
      changed.set(path, { file, bytes, offset: 0 });
      return file;
    },
    acceptWords(path) {
      throw new WorkspaceError("unavailable", path, "Nothing is accepted in a workspace that is only looked at.");
    },
    async remove(path) {
      changed.set(path, null);
    },
    versions: (path) => workspace.versions(path),
    readVersion: (path, versionId) => workspace.readVersion(path, versionId),
    replaced: (after) => workspace.replaced(after),
    strays: () => workspace.strays(),
    async restore(path) {
      throw new WorkspaceError("unavailable", path, "Nothing is restored in a workspace that is only looked at.");
    },
  };
}

function byPath(a: { path: string }, b: { path: string }): number {
  return a.path < b.path ? -1 : 1;
}

function parentFolder(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

function part({ file, bytes }: WorkspaceContent, range: ByteRange | undefined): WorkspaceContent {
  if (range === undefined) return { file, bytes, offset: 0 };
  const offset = "suffix" in range ? Math.max(0, bytes.length - range.suffix) : range.offset;
  const end = "suffix" in range || range.length === undefined ? bytes.length : offset + range.length;
  return { file, bytes: bytes.subarray(offset, end), offset };
}
