import type { Fault } from "../config/faults.ts";
import type { SchemaNode } from "../config/schema-node.ts";
import type { Json, JsonObject } from "../lib/json.ts";

/** A change of the configuration that an agent wants. */
export interface AgentConfigChange {
  /** The call that wants it: the same call again is the same change, and is made once. */
  callId: string;
  /** The revision that it was made from. */
  base: number;
  /** What the document becomes. What it throws ends the change. */
  change(document: JsonObject): Json;
  note: string | undefined;
}

/** How it came out; `revision` is the one that holds, or that somebody else has stored. */
export type AgentConfigChanged =
  | { kind: "stored" | "same"; revision: number; changed: readonly string[] }
  | { kind: "conflict"; revision: number }
  | { kind: "invalid"; faults: readonly Fault[] };

/** The configuration, for the agent of an owner. Every method rejects with a sentence where it cannot be reached. */
export interface ConfigPort {
  /** The schema of all of it. */
  schema(): SchemaNode;
  /** The newest document as it was given, without defaults; revision 0 is what holds where none is stored. */
  newest(): Promise<{ revision: number; document: JsonObject }>;
  /** Stores a change, where it was made from the newest document and the new one is valid; it is audited. */
  change(wanted: AgentConfigChange): Promise<AgentConfigChanged>;
}
