import { inject } from "vitest";
import type { MediaAnswer, MediaRequest } from "../fakes/media-server.ts";

/** The base URL of the fake provider of media. */
export const mediaUrl = `${inject("media")}/v1`;

/** Says what a model of media answers. */
export async function scriptMedia(model: string, answers: MediaAnswer[]): Promise<void> {
  await fetch(`${inject("media")}/control/${model}`, { method: "PUT", body: JSON.stringify({ answers }) });
}

/** What a model of media was asked. */
export async function askedMedia(model: string): Promise<MediaRequest[]> {
  return (await fetch(`${inject("media")}/control/${model}`)).json();
}
