import { workspacePrefix } from "../config/workspace-prefix.ts";
import { sleep } from "../lib/sleep.ts";
import { type FileStore, fileAt, notFound } from "./file-store.ts";
import { findStrays, listFolder, walkFolder } from "./listing.ts";
import { checkPath } from "./paths.ts";
import { readFile } from "./read.ts";
import { listReplaced } from "./replaced-files.ts";
import { createAttempt } from "./retry.ts";
import { inItsSpelling, spellingFor } from "./spelling.ts";
import { listVersions, readVersion } from "./versions.ts";
import type { Workspace } from "./workspace.ts";
import { acceptWords, removeFile, restoreFile, writeFile } from "./write.ts";
import { WriteQueue } from "./write-queue.ts";

/** Options of an agent's workspace in R2. */
export interface R2WorkspaceOptions {
  bucket: R2Bucket;
  agentId: string;
  /** The agent's `workspace` setting. */
  configured?: string | undefined;
  /** Milliseconds since the epoch. */
  now(): number;
  /** An unguessable, time-sortable id of letters, digits, `_` and `-`, at most 64 characters. */
  newVersionId(): string;
  /** Called after each overwrite or delete, to schedule the pruning of old versions; must not throw. */
  onReplaced?(path: string): void;
  /** Called with each written, deleted or restored path before the operation resolves; must not reject. */
  onChanged?(path: string): Promise<void>;
  /** Waits about `ms` milliseconds before a failed call or a lost race is repeated. */
  wait?(ms: number): Promise<void>;
}

/** Creates an agent's workspace in R2. Free to create; its only state is the queue of pending writes. */
export function createR2Workspace(options: R2WorkspaceOptions): Workspace {
  const store: FileStore = {
    bucket: options.bucket,
    agentId: options.agentId,
    prefix: workspacePrefix(options.agentId, options.configured),
    attempt: createAttempt(options.wait),
    writes: new WriteQueue(),
    wait: options.wait ?? sleep,
    now: options.now,
    newVersionId: options.newVersionId,
    onReplaced: options.onReplaced ?? (() => undefined),
  };
  const { onChanged = async () => undefined } = options;
  return {
    list: (folder) => listFolder(store, folder),
    walk: (folder) => walkFolder(store, folder),
    stat: (path) =>
      inItsSpelling(store, path, async (spelt) => {
        const file = await fileAt(store, spelt);
        if (file === undefined) throw notFound(path);
        return file;
      }),
    read: (path, range) => inItsSpelling(store, path, (spelt) => readFile(store, spelt, range)),
    async write(path, content, expect, labels) {
      const file = await writeFile(store, await spellingFor(store, path), content, expect, labels);
      await onChanged(file.path);
      return file;
    },
    async acceptWords(path, etag) {
      const file = await acceptWords(store, await spellingFor(store, path), etag);
      await onChanged(file.path);
      return file;
    },
    async remove(path, expect) {
      const spelt = await spellingFor(store, path);
      await removeFile(store, spelt, expect);
      await onChanged(spelt);
    },
    async versions(path) {
      return listVersions(store, checkPath(path));
    },
    async readVersion(path, versionId) {
      return readVersion(store, checkPath(path), versionId);
    },
    async restore(path, versionId, expect = { kind: "any" }) {
      const file = await restoreFile(store, await spellingFor(store, path), versionId, expect);
      await onChanged(file.path);
      return file;
    },
    replaced: (after) => listReplaced(store, after),
    strays: () => findStrays(store),
  };
}
