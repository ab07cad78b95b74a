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
import { removeFile, restoreFile, writeFile } from "./write.ts";
import { WriteQueue } from "./write-queue.ts";

/** What an agent's workspace in R2 is made of. */
export interface R2WorkspaceOptions {
  bucket: R2Bucket;
  agentId: string;
  /** The agent's `workspace` of the configuration, as it is written there. */
  configured?: string | undefined;
  /** Milliseconds since the epoch. */
  now(): number;
  /** An unguessable id of letters, digits, `_` and `-`, at most 64, that sorts by time. */
  newVersionId(): string;
  /** Told after each overwrite or delete, so that old versions can be cleared away later; it must not throw. */
  onReplaced?(path: string): void;
  /** Told what was written, deleted or restored, before whoever did it goes on; it must not reject. */
  onChanged?(path: string): Promise<void>;
  /** Waits about so many milliseconds before a failed call, or a write that others were faster than, is made again. */
  wait?(ms: number): Promise<void>;
}

/** The workspace of one agent in R2. Costs nothing to make; holds nothing but the writes that are under way. */
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
    async write(path, content, expect) {
      const file = await writeFile(store, await spellingFor(store, path), content, expect);
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
