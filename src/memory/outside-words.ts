import type { MemorySource } from "./memory-source.ts";

/** How the plugin `session-memory` names its notes of conversations: a day, words at will, and the end of a session's id. */
const CONVERSATION_NOTE = /^memory\/\d{4}-\d{2}-\d{2}-(?:.+-)?[0-9a-z]{8}\.md$/;

/**
 * Whether others than the owner may have written what stands there: transcripts, and notes that were made of them. A note of the
 * owner's whose name looks the same counts as one.
 */
export function mayHoldOutsideWords({ path, source }: { path: string; source: MemorySource }): boolean {
  return source === "sessions" || CONVERSATION_NOTE.test(path);
}
