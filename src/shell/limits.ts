import type { BashOptions } from "just-bash/browser";

const MIB = 1024 * 1024;

/**
 * Largest total of file bytes that a run holds in memory, read and written. A run shares the 128 MB of its session's
 * Durable Object.
 */
export const MAX_HELD_BYTES = 24 * MIB;

/** Largest total of bytes that commands read from files in one run; reading a file twice counts twice. */
export const MAX_SERVED_BYTES = 128 * MIB;

/** Most files, folders and links that a run creates. */
export const MAX_NEW_ENTRIES = 5_000;

/** Most workspace files that a run may change. If it changes more, none is stored. */
export const MAX_CHANGES = 500;

/** Most HTTP requests of a run, and the largest response to one, in bytes. */
export const MAX_REQUESTS = 100;
export const MAX_ANSWER_BYTES = 8 * MIB;

/** Most files of an archive, and their bytes together. */
export const MAX_ARCHIVE_ENTRIES = 5_000;
export const MAX_UNPACKED_BYTES = 16 * MIB;

/** Longest script, in bytes. */
const MAX_SCRIPT_BYTES = 256 * 1024;

/** After this many bytes or calls, a run yields to the event loop. */
export const TURN_BYTES = MIB;
export const TURN_CALLS = 32;

/**
 * Longest CPU time of a run, in milliseconds, waiting for stores and servers excluded: an object has 30 s for a
 * request.
 */
export const MAX_BUSY_MS = 15_000;

/** Most differing lines that `diff` compares: its time grows with their square. */
export const MAX_DIFF_LINES = 4_000;

/**
 * Limits passed to just-bash. Its programs never await while they process a text, so no timer fires: counts bound them,
 * not time.
 */
export const EXECUTION_LIMITS: NonNullable<BashOptions["executionLimits"]> = {
  maxSourceBytes: MAX_SCRIPT_BYTES,
  maxExecDepth: 16,
  maxCallDepth: 100,
  maxCommandCount: 40_000,
  maxLoopIterations: 20_000,
  maxAwkIterations: 100_000,
  maxSedIterations: 20_000,
  maxJqIterations: 500_000,
  maxQueryTokens: 25_000,
  maxQueryDepth: 256,
  maxQueryElements: 100_000,
  maxAwkParserTokens: 25_000,
  maxAwkParserDepth: 128,
  maxAwkParserOperations: 100_000,
  maxWorkUnits: 5_000_000,
  maxTraversalEntries: 100_000,
  maxTraversalDepth: 256,
  maxTraversalWork: 200_000,
  maxLiveBytes: 24 * MIB,
  maxInputBytes: 64 * MIB,
  maxArchiveBytes: MAX_UNPACKED_BYTES,
  maxArchiveCompressedBytes: 8 * MIB,
  maxArchiveEntryBytes: 8 * MIB,
  maxArchiveEntries: MAX_ARCHIVE_ENTRIES,
  maxGlobOperations: 100_000,
  maxStringLength: 2 * MIB,
  maxArrayElements: 100_000,
  maxHeredocSize: MAX_SCRIPT_BYTES,
  maxSubstitutionDepth: 30,
  maxBraceExpansionResults: 10_000,
  maxOutputSize: 4 * MIB,
  maxFileDescriptors: 256,
  maxSourceDepth: 20,
  maxExtensionCleanupTimeMs: 100,
};
