import { z } from "zod";
import type { Content } from "../channels/webchat/content.ts";

export type { Content } from "../channels/webchat/content.ts";

/** What the chat box asks for; `since` is the version that it has. */
export const repliesRequest = z.strictObject({
  since: z.string().max(200).default(""),
  /** Whether the answer waits for something new, half a minute at most. */
  wait: z.boolean().default(false),
});

/** What was said, as the chat box shows it. */
export interface ShownEntry {
  /** Of a visitor's message: the browser's id. */
  id: string;
  from: "visitor" | "agent";
  content: Content[];
}

/** The newest part of a visitor's conversation. */
export interface ShownConversation {
  version: string;
  /** Whether an answer is on its way. */
  isBusy: boolean;
  /** Oldest first; none if the version is the one that is known. */
  entries: ShownEntry[];
}

/** The answer to a browser that begins, or goes on after a reload. */
export interface Visit extends ShownConversation {
  /** For the next requests, and the next visit. */
  token: string;
  title?: string;
  greeting?: string;
}
