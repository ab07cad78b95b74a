import { sleepAbout } from "../lib/sleep.ts";
import type { SpillRef, ToolMessage } from "../models/message.ts";
import { createAttempt } from "../workspace/retry.ts";
import { protectSystemFiles } from "../workspace/state.ts";
import { type Workspace, type WorkspaceContent, WorkspaceError } from "../workspace/workspace.ts";
import { type SpillPlace, spillIdIn, spillKey, spillPath } from "./spill.ts";

/** Tools read by lines: after so many characters a line is broken. */
const LONG_LINE = /.{2000}(?=.)/gu;

/** Where results are: those that were too large for the transcript, and those in it, by their numbers. */
export interface ResultPlaces {
  spills: SpillPlace;
  /** A tool's result; undefined where no such message has this number. */
  resultAt(seq: number): ToolMessage | undefined;
}

/** The path under which a model reads the whole of a result. */
export function wholeResultPath(seq: number, spill: SpillRef | undefined): string {
  return spill === undefined ? `.openclaw/results/${seq}.txt` : spillPath(spill.id);
}

const NUMBERED = /^\.openclaw\/results\/(\d{1,15})\.txt$/;

/**
 * The workspace as an agent's tools see it: all of a result that it is shown in part can be read there, too, and what the
 * system keeps there cannot be changed.
 */
export function withResults(workspace: Workspace, places: ResultPlaces): Workspace {
  return {
    ...protectSystemFiles(workspace),
    read(path, range) {
      if (range !== undefined) return workspace.read(path, range);
      const id = spillIdIn(path);
      if (id !== undefined) return readSpill(places.spills, path, id);
      const seq = NUMBERED.exec(path)?.[1];
      const result = seq === undefined ? undefined : places.resultAt(Number(seq));
      if (result === undefined) return workspace.read(path, range);
      return Promise.resolve(contentOf(path, result.text, { etag: result.id, modifiedAt: result.at }));
    },
  };
}

async function readSpill({ bucket, folder }: SpillPlace, path: string, id: string): Promise<WorkspaceContent> {
  const object = await createAttempt(sleepAbout)(path, () => bucket.get(spillKey(folder, id)));
  if (object === null) throw new WorkspaceError("not_found", path, `\`${path}\` is not there any more.`);
  return contentOf(path, await object.text(), { etag: object.etag, modifiedAt: +object.uploaded });
}

function contentOf(path: string, text: string, version: { etag: string; modifiedAt: number }): WorkspaceContent {
  const bytes = new TextEncoder().encode(text.replace(LONG_LINE, "$&\n"));
  return { file: { kind: "file", path, size: bytes.length, ...version }, bytes, offset: 0 };
}
