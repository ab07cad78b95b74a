import type { FileLabels } from "./file-labels.ts";

/** Largest file, in bytes. */
export const MAX_FILE_BYTES = 10 * 1024 * 1024;

/** Most files of a walk; the rest by name is cut. */
export const MAX_WALKED = 20_000;

/** Longest path, in bytes of UTF-8. */
export const MAX_PATH_BYTES = 1024;

/**
 * The files of one agent.
 *
 * Every path is relative and `/`-separated; each operation checks it and throws `bad_path` otherwise. A write never
 * loses a concurrent one: it names the version that it replaces, and throws `conflict` if that is no longer current.
 * Every failure is a `WorkspaceError`; an outage of the store is `unavailable` and may be retried.
 */
export interface Workspace {
  /** The files and folders directly in `folder` ("" is the root), by name. One store operation for 1,000 entries. */
  list(folder: string): Promise<WorkspaceEntry[]>;
  /** The files below `folder`, by path, `MAX_WALKED` at most. */
  walk(folder: string): Promise<WorkspaceFile[]>;
  /** A file's metadata. One store operation. @throws WorkspaceError `not_found` */
  stat(path: string): Promise<WorkspaceFile>;
  /** @throws WorkspaceError `not_found`, `bad_range`, `too_large` for a whole file over the limit */
  read(path: string, range?: ByteRange): Promise<WorkspaceContent>;
  /**
   * Stores a whole file and keeps the replaced version. Identical bytes change nothing. Writes to one file are
   * serialized; while the store is busy, an older write is skipped if a newer one that may replace the same version
   * waits.
   * @param expect `new`: only if absent; an etag: only over that version; `any`: over anything
   * @param labels where its words come from; absent if they are the owner's or the agent's own
   * @throws WorkspaceError `conflict` with nothing changed, `too_large`
   */
  write(path: string, content: Uint8Array | string, expect: Expectation, labels?: FileLabels): Promise<WorkspaceFile>;
  /**
   * Removes the labels of a file: its words count as the owner's from now on. Idempotent.
   * @throws WorkspaceError `not_found`, `conflict` if it is not the version with this etag
   */
  acceptWords(path: string, etag: string): Promise<WorkspaceFile>;
  /** Deletes a file and keeps its last version. @throws WorkspaceError `not_found`, `conflict` */
  remove(path: string, expect: Expectation): Promise<void>;
  /** Earlier versions of a file, newest first; kept outside the workspace for 30 days. */
  versions(path: string): Promise<WorkspaceVersion[]>;
  /** A version's content, dated at its replacement. @throws WorkspaceError `not_found`, `too_large` */
  readVersion(path: string, versionId: string): Promise<WorkspaceContent>;
  /**
   * Restores a version; the current one is kept as a version.
   * @param expect as in `write`; `any` by default
   * @throws WorkspaceError `not_found`, `conflict`
   */
  restore(path: string, versionId: string, expect?: Expectation): Promise<WorkspaceFile>;
  /** Files with earlier versions by path, deleted ones included; `after` is a previous answer's `next`. */
  replaced(after?: string): Promise<ReplacedFiles>;
  /** Files of other programs that have no valid path, or whose names look like another file's. */
  strays(): Promise<Stray[]>;
}

/** The state that a write expects. */
export type Expectation = { kind: "any" } | { kind: "new" } | { kind: "etag"; etag: string };

/** A byte range as in HTTP: from `offset` for `length`, or the last `suffix` bytes. */
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
  /** Where its words come from, if they are not the owner's or the agent's own. */
  labels?: FileLabels;
}

export interface WorkspaceFolder {
  kind: "folder";
  path: string;
}

export type WorkspaceEntry = WorkspaceFile | WorkspaceFolder;

export interface WorkspaceContent {
  file: WorkspaceFile;
  /** The whole file, or the requested range. */
  bytes: Uint8Array;
  /** The offset of `bytes` in the file. */
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
  /** Whether the file is deleted. */
  deleted: boolean;
  /** How many earlier versions there are. */
  versions: number;
  newest: WorkspaceVersion;
}

/** A page of files with earlier versions; `next` is set if more follow. */
export interface ReplacedFiles {
  files: ReplacedFile[];
  next?: string;
}

/** An object that is no valid file, or is easily confused with another. */
export interface Stray {
  /** In backticks, without invisible characters. */
  path: string;
  /** A sentence. */
  why: string;
}

export type WorkspaceErrorCode = "bad_path" | "not_found" | "conflict" | "too_large" | "bad_range" | "unavailable";

/** The only error class of a workspace. */
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
