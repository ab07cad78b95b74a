import type { CallBudget } from "../agent/loop-deps.ts";
import type { AttachmentReference } from "../channels/channel.ts";
import { within } from "../lib/deadline.ts";
import { durationText } from "../lib/duration-text.ts";
import { messageOf } from "../lib/errors.ts";
import type { Transcript } from "../media/media-model.ts";
import { secondsOf } from "../media/price.ts";
import { askInOrder } from "../media/use-media.ts";
import type { Usage } from "../models/message.ts";
import { checkWords, fromOutside } from "../security/from-outside.ts";
import { fileLabel, joinLabels, type Label, strangerLabel } from "../security/labels.ts";
import { newFenceId } from "../services/new-fence-id.ts";
import type { Services } from "../services/services.ts";
import { mediaTypeForPath } from "../workspace/media-type.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { type KeptFile, safeName } from "./inbox.ts";

/** Longest time of all transcriptions of one file, in milliseconds. */
const MAX_MS = 5 * 60_000;

/** A file of a message and, if it is a recording, what is said in it as a part of its note. */
export interface HeardFile extends KeptFile {
  /** Set if the note has what the sender has said. */
  isSpoken?: true;
  /** Where words in it come from besides the sender. */
  labels?: readonly Label[];
  /** The patterns of prompt injections that its words match. */
  suspected?: readonly string[];
  usage?: Usage;
}

/** What transcribing a file depends on. */
export interface TranscribeFileDeps {
  services: Pick<Services, "config" | "media">;
  workspace: Pick<Workspace, "read">;
  /** Whether the model of the turn takes recordings itself. */
  isHeard: boolean;
  /** The sender, as `channel:id`; whether that is an owner. */
  sender: { id: string; owner: boolean };
  budget: CallBudget | undefined;
}

type FileFacts = Pick<AttachmentReference, "name" | "mediaType" | "seconds" | "isVoice" | "words">;

/**
 * Adds to a recording what is said in it, if the model cannot hear it: as its platform has recognized it, else as somebody
 * transcribes it. Never throws: the note says why it could not be transcribed.
 */
export async function transcribeFile(kept: KeptFile, facts: FileFacts, deps: TranscribeFileDeps): Promise<HeardFile> {
  const { path, media, ...rest } = kept;
  if (path !== undefined && media?.seconds !== undefined && deps.isHeard) {
    return { ...kept, note: `${head(path, facts)}]`, ...(facts.isVoice && { isSpoken: true }) };
  }
  if (facts.words) {
    const recognized = heard(path, { ...facts, text: facts.words }, deps);
    // Words that came with the message are not lost with its file.
    return { ...rest, ...recognized, note: path === undefined ? `${kept.note}\n${recognized.note}` : recognized.note };
  }
  const { models, lacks } = deps.services.media.transcribers;
  if (path === undefined || !isRecording(path, facts) || models.length + lacks.length === 0) return kept;
  try {
    const transcript = await within(MAX_MS, (signal) => transcribe(path, facts, deps, signal));
    // Its words stand for it: a model that would hear it later is not shown both.
    return { ...rest, path, ...heard(path, { ...facts, ...transcript }, deps), usage: transcript.usage };
  } catch (error) {
    return { ...kept, note: `${head(path, facts)}: it could not be transcribed: ${messageOf(error)}]` };
  }
}

/** Whether a file of a message is a recording of sound. */
export function isRecording(
  path: string,
  { mediaType = mediaTypeForPath(path) }: Pick<FileFacts, "mediaType">,
): boolean {
  return mediaType.startsWith("audio/");
}

async function transcribe(
  path: string,
  { name, seconds, mediaType = mediaTypeForPath(path) }: FileFacts,
  { services: { config, media }, workspace, budget }: TranscribeFileDeps,
  signal: AbortSignal,
): Promise<Transcript> {
  const bytes = Uint8Array.from((await workspace.read(path)).bytes);
  const { maxBytes } = config.tools.media.audio;
  if (bytes.length > maxBytes) {
    throw new Error(`It has ${bytes.length} bytes, and tools.media.audio.maxBytes is ${maxBytes}.`);
  }
  const recording = { name: safeName(name), mediaType, bytes, ...(seconds !== undefined && { seconds }) };
  const use = { seconds: secondsOf(recording) };
  return askInOrder(media.transcribers, (model) => model.transcribe(recording, signal), use, budget);
}

/**
 * The note with the words: those of a voice note are its sender's own, those of any other recording are fenced as
 * somebody else's.
 */
function heard(
  path: string | undefined,
  facts: FileFacts & Pick<Transcript, "text">,
  { services: { config }, sender }: TranscribeFileDeps,
): Pick<HeardFile, "note" | "isSpoken" | "labels" | "suspected"> {
  const { text, isVoice } = facts;
  if (text === "") return { note: `${head(path, facts)}: no words can be heard in it]` };
  const said = `${head(path, facts)}. What is said in it:]`;
  const onInjection = config.security.injection.action;
  if (isVoice) {
    const own = sender.owner ? { text, labels: [], patterns: [] } : checkWords({ text, labels: [] }, onInjection);
    return { note: `${said}\n${own.text}`, isSpoken: true, labels: own.labels, suspected: own.patterns };
  }
  const suspected: string[] = [];
  const port = {
    newFenceId,
    onInjection,
    suspect: ({ patterns }: { patterns: readonly string[] }) => void suspected.push(...patterns),
  };
  const labels = joinLabels(
    path === undefined ? [] : [fileLabel(path)],
    sender.owner ? [] : [strangerLabel(sender.id)],
  );
  const fenced = fromOutside({ text, source: "unknown", labels }, port);
  return { note: `${said}\n${fenced.text}`, labels: fenced.labels, suspected };
}

/** The beginning of a note: `[Voice note, 12 s, kept as inbox/…`. */
function head(path: string | undefined, { isVoice, seconds }: Pick<FileFacts, "isVoice" | "seconds">): string {
  const length = seconds === undefined ? "" : `, ${durationText(seconds * 1000)}`;
  const place = path === undefined ? "" : `, kept as ${path}`;
  return `[${isVoice ? "Voice note" : "Recording"}${length}${place}`;
}
