import { seedWorkspace } from "./seed.ts";
import { type Workspace, WorkspaceError } from "./workspace.ts";

/**
 * The workspace as everybody outside of a turn finds it: furnished, whoever comes first. Looking whether it is costs one
 * listing, before it is listed or written to, and where a file is missed; reading a file that is there costs nothing more.
 * @param now milliseconds since the epoch
 */
export function furnished(workspace: Workspace, now: number): Workspace {
  let seeding: Promise<unknown> | undefined;
  function furnish(): Promise<unknown> {
    seeding ??= workspace.list("").then((listing) => seedWorkspace(workspace, listing, now));
    return seeding;
  }
  async function first<T>(work: () => Promise<T>): Promise<T> {
    await furnish();
    return work();
  }
  async function ifMissed<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (thrown) {
      const isMissing = thrown instanceof WorkspaceError && thrown.code === "not_found";
      if (!isMissing || seeding !== undefined) throw thrown;
      return first(work);
    }
  }
  return {
    ...workspace,
    list: (folder) => first(() => workspace.list(folder)),
    walk: (folder) => first(() => workspace.walk(folder)),
    stat: (path) => ifMissed(() => workspace.stat(path)),
    read: (path, range) => ifMissed(() => workspace.read(path, range)),
    write: (path, content, expect) => first(() => workspace.write(path, content, expect)),
    remove: (path, expect) => ifMissed(() => workspace.remove(path, expect)),
    restore: (path, versionId, expect) => ifMissed(() => workspace.restore(path, versionId, expect)),
  };
}
