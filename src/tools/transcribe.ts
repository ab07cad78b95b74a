import { z } from "zod";
import { defineTool, type Tool } from "../agent/tool.ts";
import { durationText } from "../lib/duration-text.ts";
import type { Recording, Transcript } from "../media/media-model.ts";
import { fromOutside, type OutsidePort } from "../security/from-outside.ts";
import { fileLabel, joinLabels } from "../security/labels.ts";
import { mediaTypeForPath, sniffAudioType } from "../workspace/media-type.ts";
import { resolvePath } from "../workspace/paths.ts";
import { isPrivatePath } from "../workspace/private-paths.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** What transcribing needs. */
export interface TranscriptionPort {
  /** Transcribes within the budget. @throws Error that says why it could not, or the signal's abort reason */
  transcribe(recording: Recording, signal: AbortSignal): Promise<Transcript>;
  maxBytes: number;
}

const parameters = z.strictObject({
  path: z.string().describe("The recording in the workspace, such as inbox/voice.ogg"),
});

/** Gives the words of a recording. Safe to replay: it only reads. */
export function transcribeTool(
  port: TranscriptionPort,
  workspace: Pick<Workspace, "read">,
  outside: OutsidePort,
): Tool<z.infer<typeof parameters>> {
  return defineTool({
    name: "transcribe",
    summary: "Write down what is said in a recording",
    description: "Gives what is said in an audio file of the workspace. Voice notes of people need no call.",
    parameters,
    replay: "safe",
    sequential: false,
    effects: ({ path }) => (isPrivatePath(path) ? [{ kind: "read", what: path }] : []),
    async run({ path: typed }, { signal }) {
      const path = resolvePath(typed);
      const { file, bytes } = await workspace.read(path);
      const mediaType = sniffAudioType(bytes) ?? mediaTypeForPath(path);
      if (!/^(?:audio|video)\//.test(mediaType)) throw new Error(`${path} is no recording: it is ${mediaType}.`);
      if (bytes.length > port.maxBytes) {
        throw new Error(`${path} has ${bytes.length} bytes; ${port.maxBytes} are transcribed at most.`);
      }
      const name = path.slice(path.lastIndexOf("/") + 1);
      const { text, seconds, usage } = await port.transcribe({ name, mediaType, bytes: new Uint8Array(bytes) }, signal);
      const length = seconds === undefined ? "" : ` (${durationText(seconds * 1000)})`;
      if (text === "") return { text: `No words can be heard in ${path}${length}.`, usage };
      // Whoever can be heard need not be the owner.
      const labels = joinLabels(file.labels?.labels, [fileLabel(path)]);
      const fenced = fromOutside({ text, source: "unknown", labels }, outside);
      return { text: `What is said in ${path}${length}:\n${fenced.text}`, labels: fenced.labels, usage };
    },
  });
}
