import { workspacePrefix } from "../config/workspace-prefix.ts";
import { listFolder, walkFolder } from "./listing.ts";
import { checkPath } from "./paths.ts";
import { fileAt, notFound, type Place } from "./place.ts";
import { readFile } from "./read.ts";
import { createAttempt, sleep } from "./retry.ts";
import { listVersions, readVersion } from "./versions.ts";
import { type Workspace, WorkspaceError } from "./workspace.ts";
import { removeFile, writeFile } from "./write.ts";

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
  /** Waits for so many milliseconds before a failed call, or a write that others were faster than, is made again. */
  wait?(ms: number): Promise<void>;
}

/** The workspace of one agent in R2. Costs nothing to make; holds no state of its own. */
export function createR2Workspace(options: R2WorkspaceOptions): Workspace {
  const place: Place = {
    bucket: options.bucket,
    agentId: options.agentId,
    prefix: workspacePrefix(options.agentId, options.configured),
    attempt: createAttempt(options.wait),
    wait: options.wait ?? sleep,
    now: options.now,
    newVersionId: options.newVersionId,
    onReplaced: options.onReplaced ?? (() => undefined),
  };
  return {
    list: (folder) => listFolder(place, folder),
    walk: (folder) => walkFolder(place, folder),
    async stat(path) {
      const file = await fileAt(place, path);
      if (file === undefined) throw notFound(path);
      return file;
    },
    read: (path, range) => readFile(place, path, range),
    write: (path, content, expect) => writeFile(place, path, content, expect),
    remove: (path, expect) => removeFile(place, path, expect),
    async versions(path) {
      return listVersions(place, checkPath(path));
    },
    async restore(path, versionId) {
      const bytes = await readVersion(place, checkPath(path), versionId);
      if (bytes === undefined) {
        throw new WorkspaceError("not_found", path, `\`${path}\` has no version \`${versionId}\`.`);
      }
      return writeFile(place, path, bytes, { kind: "any" });
    },
  };
}
