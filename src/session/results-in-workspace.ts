import { createAttempt } from "../workspace/retry.ts";
import { type Workspace, type WorkspaceContent, WorkspaceError } from "../workspace/workspace.ts";
import { type SpillPlace, spillIdIn, spillKey } from "./spill.ts";

/** Tools read by lines: after so many characters a line is broken. */
const LONG_LINE = /.{2000}(?=.)/gu;

/** The workspace as an agent's tools see it: results that were too large for the transcript can be read there, too. */
export function withResults(workspace: Workspace, place: SpillPlace): Workspace {
  return {
    ...workspace,
    read(path, range) {
      const id = range === undefined ? spillIdIn(path) : undefined;
      return id === undefined ? workspace.read(path, range) : readResult(place, path, id);
    },
  };
}

async function readResult({ bucket, folder }: SpillPlace, path: string, id: string): Promise<WorkspaceContent> {
  const object = await createAttempt()(path, () => bucket.get(spillKey(folder, id)));
  if (object === null) throw new WorkspaceError("not_found", path, `\`${path}\` is not there any more.`);
  const bytes = new TextEncoder().encode((await object.text()).replace(LONG_LINE, "$&\n"));
  const file = { kind: "file", path, etag: object.etag, size: bytes.length, modifiedAt: +object.uploaded } as const;
  return { file, bytes, offset: 0 };
}
