import { messageOf } from "../lib/errors.ts";
import { pathFault } from "../lib/relative-path.ts";
import { MAX_PATH_BYTES, type Workspace, WorkspaceError, type WorkspaceFile } from "../workspace/workspace.ts";
import { type FolderEntry, folderAt, newFile, normalPath, type StoredFile } from "./tree.ts";

/** Where the workspace is. */
export const WORKSPACE = "/workspace";

/** A folder of a run whose files are listed when a script looks into it first. */
export interface Mount {
  /** A normal path. */
  readonly at: string;
  /** @throws Error of a shell's kind where the store does not answer */
  list(): Promise<MountedFile[]>;
}

export interface MountedFile {
  stored: StoredFile;
  modifiedAt: number;
}

/** Files that a run may only read, such as those of a root of skills. */
export interface ReadOnlyFiles {
  /** The folder, such as `/skills/managed/`. */
  readonly mount: string;
  /** @throws where the store does not answer */
  list(): Promise<readonly { path: string; etag: string; size: number }[]>;
  /** Undefined where it is gone. @throws where the store does not answer */
  read(path: string): Promise<Uint8Array | undefined>;
}

/** The workspace as a run finds it. What is read later than it was listed is what the run goes on from. */
export function workspaceMount(workspace: Pick<Workspace, "walk" | "read">): Mount {
  return {
    at: WORKSPACE,
    async list() {
      const files = await orInputError(() => workspace.walk(""), WORKSPACE);
      return files.map((file) => ({ stored: storedIn(workspace, file), modifiedAt: file.modifiedAt }));
    },
  };
}

function storedIn(workspace: Pick<Workspace, "read">, { path, etag, size }: WorkspaceFile): StoredFile {
  const stored: StoredFile = {
    path: normalPath(`${WORKSPACE}/${path}`),
    size,
    etag,
    async read() {
      const { file, bytes } = await orInputError(() => workspace.read(path), stored.path);
      stored.etag = file.etag;
      stored.size = bytes.length;
      return bytes;
    },
  };
  return stored;
}

/** Files that are only read, as a run finds them. */
export function readOnlyMount(files: ReadOnlyFiles): Mount {
  const at = normalPath(files.mount);
  return {
    at,
    async list() {
      const listed = await orInputError(() => files.list(), at);
      return listed.flatMap(({ path, etag, size }) => {
        if (pathFault(path, MAX_PATH_BYTES) !== undefined) return [];
        const where = normalPath(`${at}/${path}`);
        const read = async () => (await orInputError(() => files.read(path), where)) ?? gone(where);
        return [{ stored: { path: where, size, etag, read }, modifiedAt: 0 }];
      });
    },
  };
}

/** Puts the files of a mount into the tree. */
export function fill(root: FolderEntry, files: readonly MountedFile[]): void {
  for (const { stored, modifiedAt } of files) {
    const slash = stored.path.lastIndexOf("/");
    const { children } = folderAt(root, stored.path.slice(0, slash), modifiedAt);
    // What is a file and a folder at once in the store is a folder here.
    if (children.has(stored.path.slice(slash + 1))) continue;
    children.set(stored.path.slice(slash + 1), newFile(undefined, stored, modifiedAt));
  }
}

/** Failures of stores as a shell's programs know them. */
async function orInputError<T>(work: () => Promise<T>, path: string): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof WorkspaceError && thrown.code === "not_found") return gone(path);
    if (thrown instanceof WorkspaceError && thrown.code === "too_large") {
      throw new Error(`EFBIG: file too large, '${path}'`, { cause: thrown });
    }
    throw new Error(`EIO: input/output error, '${path}': ${messageOf(thrown)}`, { cause: thrown });
  }
}

function gone(path: string): never {
  throw new Error(`ENOENT: no such file or directory, '${path}' is gone`);
}
