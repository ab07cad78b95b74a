import type { KeptOutput, ToolOutput } from "../agent/tool.ts";
import { messageOf } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { log } from "../lib/log.ts";
import { sleepAbout } from "../lib/sleep.ts";
import { head, tail } from "../lib/text.ts";
import type { SpillRef, ToolMessage } from "../models/message.ts";
import type { Label } from "../security/labels.ts";
import { labelMetadata, labelsIn } from "../workspace/file-labels.ts";
import { createAttempt } from "../workspace/retry.ts";
import { protectSystemFiles } from "../workspace/state.ts";
import { MAX_FILE_BYTES, type Workspace, type WorkspaceContent, WorkspaceError } from "../workspace/workspace.ts";

/** Most characters of a spilled result in the transcript; its beginning takes three quarters. */
const MAX_SHOWN_CHARS = 16 * 1024;
/** Most bytes that are kept of one result. */
export const MAX_SPILL_BYTES = MAX_FILE_BYTES;

const SPILL_ID = /^spl_[0-9a-z]{26}$/;
const PATH = /^\.openclaw\/results\/(spl_[0-9a-z]{26})\.txt$/;

/** Where a session stores what is too large for its database. */
export interface SpillPlace {
  bucket: R2Bucket;
  /** See `sessionFolder`. */
  folder: string;
}

/** Where the large results of a turn are stored. */
export interface ResultPlace extends SpillPlace {
  /** Most characters of a result in the transcript; a longer one is spilled. */
  maxChars: number;
}

/** The R2 prefix of a session's objects. */
export function sessionFolder(agentId: string, objectName: string): string {
  return `sessions/${agentId}/${objectName}/`;
}

/** Whether a text has the form of a spill id. */
export function isSpillId(text: string): boolean {
  return SPILL_ID.test(text);
}

/** The R2 key of a spilled text. */
export function spillKey(folder: string, id: string): string {
  return `${folder}spills/${id}.txt`;
}

/** The path under which a model reads a spilled result. */
export function spillPath(id: string): string {
  return `.openclaw/results/${id}.txt`;
}

/** The spill id in a path; undefined where the path is a file's. */
export function spillIdIn(path: string): string | undefined {
  return PATH.exec(path)?.[1];
}

/**
 * Bounds a tool's output. A long text is written to R2 first, so that no row refers to a missing object; the result has
 * its head and its tail, and the path of the whole. Never rejects: a text that could not be stored is cut, and the
 * result says so.
 */
export async function spillOutput(
  output: ToolOutput,
  { bucket, folder, maxChars }: ResultPlace,
  now: number,
): Promise<KeptOutput> {
  const text = output.text.toWellFormed();
  if (text.length <= maxChars) return { ...output, text };
  const id = newId("spl", now);
  const whole = new TextEncoder().encode(text);
  const kept = wholeCharacters(whole, MAX_SPILL_BYTES);
  const metadata = labelMetadata(output.labels && { labels: output.labels });
  try {
    await createAttempt()(id, () =>
      bucket.put(spillKey(folder, id), kept, { httpMetadata: TEXT, ...(metadata && { customMetadata: metadata }) }),
    );
  } catch (error) {
    log("error", "spill.failed", { error: messageOf(error) });
    return { ...output, text: preview(text, maxChars, "They could not be kept.") };
  }
  const cut = kept.length < whole.length ? ` Only its first ${kept.length} bytes are there.` : "";
  const where = `The whole is at ${spillPath(id)}: use read with offset and limit.${cut}`;
  return { ...output, text: preview(text, maxChars, where), spill: { id, bytes: kept.length } };
}

const TEXT = { contentType: "text/plain; charset=utf-8" };

function preview(text: string, maxChars: number, where: string): string {
  const shown = Math.min(MAX_SHOWN_CHARS, maxChars);
  const [first, last] = [head(text, Math.floor(shown * 0.75)), tail(text, Math.floor(shown * 0.25))];
  const left = text.length - first.length - last.length;
  return `${first}\n\n[${left} of ${text.length} characters are left out here. ${where}]\n\n${last}`;
}

/** The first `max` bytes of UTF-8, fewer where a character would be split. */
function wholeCharacters(bytes: Uint8Array, max: number): Uint8Array {
  if (bytes.length <= max) return bytes;
  let end = max;
  while (end > 0 && ((bytes[end] ?? 0) & 0b1100_0000) === 0b1000_0000) end--;
  return bytes.subarray(0, end);
}

/**
 * Deletes all objects below a prefix. May be repeated.
 * @throws any error of R2; some objects may be deleted then
 */
export async function deleteFolder(bucket: R2Bucket, folder: string): Promise<void> {
  for (;;) {
    // Always from the beginning: listed objects are deleted.
    const page = await bucket.list({ prefix: folder });
    if (page.objects.length > 0) await bucket.delete(page.objects.map(({ key }) => key));
    if (!page.truncated) return;
  }
}

/** Tools read by lines: a longer line is broken after this many characters. */
const LONG_LINE = /.{2000}(?=.)/gu;

/** Where results are stored: spilled ones, and those in the transcript, by number. */
export interface ResultPlaces {
  spills: SpillPlace;
  /** The tool result with this number; undefined where there is none. */
  resultAt(seq: number): ToolMessage | undefined;
}

/** The path under which a model reads a whole result. */
export function wholeResultPath(seq: number, spill: SpillRef | undefined): string {
  return spill === undefined ? `.openclaw/results/${seq}.txt` : spillPath(spill.id);
}

const NUMBERED = /^\.openclaw\/results\/(\d{1,15})\.txt$/;

/**
 * The workspace as an agent's tools see it: shortened results can be read there as files, and the system's files are
 * read-only.
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
      return Promise.resolve(
        resultContent(path, result.text, { etag: result.id, modifiedAt: result.at }, result.labels),
      );
    },
  };
}

async function readSpill({ bucket, folder }: SpillPlace, path: string, id: string): Promise<WorkspaceContent> {
  const object = await createAttempt(sleepAbout)(path, () => bucket.get(spillKey(folder, id)));
  if (object === null) throw new WorkspaceError("not_found", path, `\`${path}\` is not there any more.`);
  const version = { etag: object.etag, modifiedAt: +object.uploaded };
  return resultContent(path, await object.text(), version, labelsIn(object.customMetadata)?.labels);
}

function resultContent(
  path: string,
  text: string,
  version: { etag: string; modifiedAt: number },
  labels: readonly Label[] | undefined,
): WorkspaceContent {
  const bytes = new TextEncoder().encode(text.replace(LONG_LINE, "$&\n"));
  const file = { kind: "file" as const, path, size: bytes.length, ...version, ...(labels && { labels: { labels } }) };
  return { file, bytes, offset: 0 };
}
