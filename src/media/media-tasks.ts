import type { MediaModels } from "./choose-media.ts";

/** A task that models of media do. */
export interface MediaTask {
  id: string;
  choice: keyof MediaModels;
  /** The tool that is there where somebody does it. */
  tool: string;
  does: string;
  /** The field that names the models. */
  path: string;
  /** What to do where nobody does it. */
  fix: string;
}

export const MEDIA_TASKS: readonly MediaTask[] = [
  {
    id: "audio",
    choice: "transcribers",
    tool: "transcribe",
    does: "transcribes recordings",
    path: "tools.media.audio.models",
    fix: "Name a provider in tools.media.audio.models, and leave tools.media.audio.enabled on.",
  },
  {
    id: "speech",
    choice: "speakers",
    tool: "tts",
    does: "reads aloud",
    path: "messages.tts.provider",
    fix: "Name a provider in messages.tts.provider.",
  },
  {
    id: "pictures",
    choice: "imageGenerators",
    tool: "image_generate",
    does: "makes pictures",
    path: "agents.defaults.imageGenerationModel",
    fix: "Name a model in agents.defaults.imageGenerationModel.",
  },
];
