import type { CallBudget } from "../agent/loop-deps.ts";
import { visibleRepliesIn } from "../config/group-chat.ts";
import { digestOf } from "../lib/digest.ts";
import { secondsOf } from "../media/price.ts";
import { askInOrder } from "../media/use-media.ts";
import type { OutsidePort } from "../security/from-outside.ts";
import type { PicturePort } from "../tools/image-generate.ts";
import type { MediaPorts } from "../tools/index.ts";
import type { TranscriptionPort } from "../tools/transcribe.ts";
import type { SpeechPort } from "../tools/tts.ts";
import { extensionOf } from "../workspace/media-type.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { TurnContext } from "./turn-context.ts";
import { lookPort } from "./turn-image.ts";

type MediaContext = Pick<TurnContext, "services" | "agent" | "target" | "session" | "model">;

/** The ports of a turn. Opening them asks nobody. */
export function turnMedia(
  context: MediaContext,
  workspace: Pick<Workspace, "write">,
  { budget, outside }: { budget: CallBudget | undefined; outside: OutsidePort },
): MediaPorts {
  return {
    look: lookPort(context, budget, outside),
    pictures: picturePort(context, budget),
    speech: speechPort(context, budget),
    transcription: transcriptionPort(context, budget),
    made: { keep: (...file) => keepMedia(workspace, ...file), isSent: isSent(context) },
  };
}

/** Whether the files of a reply go to people: not where nobody is there, or where only the message tool sends. */
function isSent({ services, agent, target }: Pick<MediaContext, "services" | "agent" | "target">): boolean {
  return target !== null && visibleRepliesIn(services.config, agent.id, target.kind) === "automatic";
}

/** The port for reading aloud; undefined where nobody does. */
export function speechPort(
  { services: { media, config } }: Pick<MediaContext, "services">,
  budget: CallBudget | undefined,
): SpeechPort | undefined {
  const { speakers } = media;
  if (speakers.models.length + speakers.lacks.length === 0) return undefined;
  return {
    maxChars: config.messages.tts.maxTextLength,
    speak: (request, signal) =>
      askInOrder(speakers, (model) => model.speak(request, signal), { characters: request.text.length }, budget),
  };
}

function picturePort(
  { services: { media } }: Pick<MediaContext, "services">,
  budget: CallBudget | undefined,
): PicturePort | undefined {
  const { imageGenerators } = media;
  if (imageGenerators.models.length + imageGenerators.lacks.length === 0) return undefined;
  return {
    generate: (request, signal) =>
      askInOrder(imageGenerators, (model) => model.generate(request, signal), { images: request.count }, budget),
  };
}

function transcriptionPort(
  { services: { media, config } }: Pick<MediaContext, "services">,
  budget: CallBudget | undefined,
): TranscriptionPort | undefined {
  const { transcribers } = media;
  if (transcribers.models.length + transcribers.lacks.length === 0) return undefined;
  return {
    maxBytes: config.tools.media.audio.maxBytes,
    transcribe: (recording, signal) =>
      askInOrder(
        transcribers,
        (model) => model.transcribe(recording, signal),
        { seconds: secondsOf(recording) },
        budget,
      ),
  };
}

/** Stores what was made below `media/`. @throws WorkspaceError */
export async function keepMedia(
  workspace: Pick<Workspace, "write">,
  kind: "picture" | "speech",
  bytes: Uint8Array<ArrayBuffer>,
  mediaType: string,
): Promise<string> {
  const digest = await digestOf("SHA-256", bytes);
  const path = `media/${kind}-${digest.slice(0, 16)}.${extensionOf(mediaType)}`;
  await workspace.write(path, bytes, { kind: "any" });
  return path;
}
