/** What a search looks in: memory files, or transcripts of sessions. */
export const MEMORY_SOURCES = ["memory", "sessions"] as const;
export type MemorySource = (typeof MEMORY_SOURCES)[number];
