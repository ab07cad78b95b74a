import type { Target } from "../channels/channel.ts";
import type { RunInput } from "./run.ts";

/** What a door hands over. It may be handed over again: the same run id, or the same key, is the same run. */
export interface AcceptRequest {
  sessionKey: string;
  agentId: string;
  runId: string;
  idempotencyKey?: string;
  /** What is asked under the key, as a digest: something else under the same key is refused as a conflict. */
  inputDigest?: string;
  /** A run that was accepted under the key before this instant is another one, and gives the key up. */
  keySince?: number;
  input: RunInput;
  /** Where the reply is to be delivered; absent where whoever asked reads it here. */
  target?: Target;
  /** The revision of the configuration that the door knows: the run has this one, or a newer one. */
  configRevision?: number;
  /** A session that this begins is deleted so long after its last run; absent where it stays. */
  lingerMs?: number;
}
/** The answer once the input is stored. */
export interface Accepted {
  runId: string;
  sessionKey: string;
  sessionId: string;
  /** Milliseconds since the epoch. */
  acceptedAt: number;
}
/** A run that was accepted, with its events from the first to the last. */
export interface Followed {
  accepted: Accepted;
  events: ReadableStream<Uint8Array>;
}
