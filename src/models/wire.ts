import type { Model } from "./model.ts";

/** What every wire format needs to make a model. */
export interface WireOptions {
  /** `provider/model`, as configured. */
  ref: string;
  /** The model's name at its provider. */
  modelId: string;
  /** Where the format's paths begin, with the version: `https://api.openai.com/v1`. */
  baseUrl: string;
  /** Absent where the server wants none. */
  apiKey?: string | undefined;
  /** Sent with every request. */
  headers: Record<string, string>;
  contextWindow: number;
  maxOutputTokens: number;
  /** Whether `maxOutputTokens` was configured, and so is to be said even to servers that know better. */
  limitsOutput: boolean;
  /** Whether the model thinks; undefined leaves it to what the format knows of the model. */
  reasoning?: boolean | undefined;
  fetch: typeof fetch;
}

/** One wire format: a function from where a model is to the model. */
export type WireFormat = (options: WireOptions) => Model;

/** The output limit to send: what the request asks for, never more than the model's. */
export function outputLimit(options: WireOptions, asked: number | undefined): number {
  return Math.min(asked ?? options.maxOutputTokens, options.maxOutputTokens);
}

/** Sent as the key to servers that want none: without one the AI SDK would look for one in the environment. */
export const NO_KEY = "none";
