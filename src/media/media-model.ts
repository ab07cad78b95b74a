import type { Usage } from "../models/message.ts";
import type { MediaPrice } from "./price.ts";

/**
 * A model that makes or reads media.
 *
 * Each call is one request: it is not repeated, and it may be billed. It honours the signal that it is given. It throws
 * `MediaError`, or the signal's abort reason, and nothing else.
 */
export interface MediaModel {
  /** `provider/model`. */
  readonly ref: string;
  /** Undefined if unknown. */
  readonly price: MediaPrice | undefined;
}

/** A recording. */
export interface Recording {
  /** A file name; its extension tells the format. */
  name: string;
  mediaType: string;
  bytes: Uint8Array<ArrayBuffer>;
  /** Its length, if known. */
  seconds?: number;
}

/** What is said in a recording. */
export interface Transcript {
  /** Empty if nobody speaks. */
  text: string;
  /** The length of the recording, if the provider tells it. */
  seconds?: number;
  usage: Usage;
}

/** Writes down what is said. */
export interface Transcriber extends MediaModel {
  transcribe(recording: Recording, signal: AbortSignal): Promise<Transcript>;
}

/** Words to read aloud, in the configured voice where none is named. */
export interface SpeechRequest {
  text: string;
  voice?: string | undefined;
}

/** Words that were read aloud. */
export interface Speech {
  bytes: Uint8Array<ArrayBuffer>;
  mediaType: string;
  usage: Usage;
}

/** Reads aloud. */
export interface Speaker extends MediaModel {
  speak(request: SpeechRequest, signal: AbortSignal): Promise<Speech>;
}

/** A picture to make. */
export interface PictureRequest {
  prompt: string;
  /** Width and height in pixels, such as `1024x1536`; the model's usual one where absent. */
  size?: string | undefined;
  count: number;
}

export interface Picture {
  bytes: Uint8Array<ArrayBuffer>;
  mediaType: string;
}

/** Makes pictures. */
export interface ImageGenerator extends MediaModel {
  /** At least one picture. */
  generate(request: PictureRequest, signal: AbortSignal): Promise<{ pictures: Picture[]; usage: Usage }>;
}

/** Why a provider has made nothing, in words for people. They hold no key and no text of the request. */
export class MediaError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "MediaError";
  }
}
