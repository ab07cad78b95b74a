/** Largest file that a workspace takes, in bytes. */
export const MAX_FILE_BYTES = 10 * 1024 * 1024;

/** Most files that a walk finds; of more, those that come first by name. */
export const MAX_WALKED = 20_000;

/** Longest path, in bytes of UTF-8. */
export const MAX_PATH_BYTES = 1024;

/**
 * The files of one agent.
 *
 * Every path is relative and `/`-separated; each verb checks it and throws `bad_path` otherwise. A write never
 * loses somebody else's: it names the version that it replaces and throws `conflict` when that is no longer there.
 * All failures are a `WorkspaceError`; an outage of the store below is `unavailable` and may be tried again.
 */
export interface Workspace {
  /** The files and folders directly in `folder` ("" is the root), by name. One store operation for 1,000 entries. */
  list(folder: string): Promise<WorkspaceEntry[]>;
  /** The files below `folder`, by path, `MAX_WALKED` at most. */
  walk(folder: string): Promise<WorkspaceFile[]>;
  /** What is known of a file without reading it. One store operation. @throws WorkspaceError `not_found` */
  stat(path: string): Promise<WorkspaceFile>;
  /** @throws WorkspaceError `not_found`, `bad_range`, `too_large` where a whole file is over the limit */
  read(path: string, range?: ByteRange): Promise<WorkspaceContent>;
  /**
   * Stores a file whole and keeps the version that it replaces. Where these bytes are there already, nothing changes.
   * @param expect `new`: only if absent; an etag: only over that version; `any`: over whatever is there
   * Writes to one file go one after the other; where the store is busy and a newer write waits that may go over the same
   * version, the older one is not made.
   * @throws WorkspaceError `conflict` with nothing changed, `too_large`
   */
  write(path: string, content: Uint8Array | string, expect: Expectation): Promise<WorkspaceFile>;
  /** Deletes a file and keeps its last version. @throws WorkspaceError `not_found`, `conflict` */
  remove(path: string, expect: Expectation): Promise<void>;
  /** Earlier versions of a file, newest first; they live outside the workspace for 30 days. */
  versions(path: string): Promise<WorkspaceVersion[]>;
  /** An earlier version as a file, from the time at which it was replaced. @throws WorkspaceError `not_found`, `too_large` */
  readVersion(path: string, versionId: string): Promise<WorkspaceContent>;
  /**
   * Makes an earlier version the current one; the current one is kept as a version.
   * @param expect as in `write`; `any` where it is left out
   * @throws WorkspaceError `not_found`, `conflict`
   */
  restore(path: string, versionId: string, expect?: Expectation): Promise<WorkspaceFile>;
  /** The files that have earlier versions, deleted ones among them, by path; `after` is an earlier answer's `next`. */
  replaced(after?: string): Promise<ReplacedFiles>;
  /** What another program has put where the workspace is and no path can name, or what looks like another file. */
  strays(): Promise<Stray[]>;
}

/** What a write believes is there. */
export type Expectation = { kind: "any" } | { kind: "new" } | { kind: "etag"; etag: string };

/** A range of bytes as HTTP has it: from `offset` for `length`, or the last `suffix`. */
export type ByteRange = { offset: number; length?: number } | { suffix: number };

export interface WorkspaceFile {
  kind: "file";
  path: string;
  /** Unquoted. */
  etag: string;
  /** In bytes. */
  size: number;
  /** Milliseconds since the epoch. */
  modifiedAt: number;
}

export interface WorkspaceFolder {
  kind: "folder";
  path: string;
}

export type WorkspaceEntry = WorkspaceFile | WorkspaceFolder;

export interface WorkspaceContent {
  file: WorkspaceFile;
  /** The whole file, or the part that the range asked for. */
  bytes: Uint8Array;
  /** Where `bytes` starts in the file. */
  offset: number;
}

export interface WorkspaceVersion {
  versionId: string;
  size: number;
  /** When it was replaced, in milliseconds since the epoch. */
  replacedAt: number;
}

/** A file that has earlier versions. */
export interface ReplacedFile {
  path: string;
  /** Whether there is no such file any more. */
  deleted: boolean;
  /** How many earlier versions there are. */
  versions: number;
  newest: WorkspaceVersion;
}

/** A page of them; `next` is there where more follow. */
export interface ReplacedFiles {
  files: ReplacedFile[];
  next?: string;
}

/** Something in the store that is no file of the workspace, or is easily taken for another. */
export interface Stray {
  /** In backticks, with nothing invisible in it. */
  path: string;
  /** A sentence. */
  why: string;
}

export type WorkspaceErrorCode = "bad_path" | "not_found" | "conflict" | "too_large" | "bad_range" | "unavailable";

/** The closed set of ways in which a workspace says no. */
export class WorkspaceError extends Error {
  readonly code: WorkspaceErrorCode;
  readonly path: string;

  constructor(code: WorkspaceErrorCode, path: string, message: string) {
    super(message);
    this.name = "WorkspaceError";
    this.code = code;
    this.path = path;
  }
}
