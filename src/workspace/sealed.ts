import { STATE_FOLDER } from "./state.ts";
import { type Workspace, WorkspaceError } from "./workspace.ts";

/** The workspace as an agent may change it: what is in `.openclaw/` is the system's own, and can be read only. */
export function sealed(workspace: Workspace): Workspace {
  return {
    ...workspace,
    async write(path, content, expect) {
      refuseSystemFile(path);
      return workspace.write(path, content, expect);
    },
    async remove(path, expect) {
      refuseSystemFile(path);
      return workspace.remove(path, expect);
    },
    async restore(path, versionId, expect) {
      refuseSystemFile(path);
      return workspace.restore(path, versionId, expect);
    },
  };
}

/** @throws WorkspaceError `bad_path` for what is the system's own */
export function refuseSystemFile(path: string): void {
  if (path.split("/")[0]?.toLowerCase() !== STATE_FOLDER) return;
  const message = `\`${path}\` is in ${STATE_FOLDER}/, which the system keeps for itself: take another folder.`;
  throw new WorkspaceError("bad_path", path, message);
}
