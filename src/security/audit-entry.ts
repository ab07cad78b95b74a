import { digestOf } from "../lib/digest.ts";
import { byteLength } from "../lib/text.ts";

/** A line of the audit trail before it has its place in it. */
export type AuditLine = Omit<AuditEntry, "id" | "at">;

/** The line of a change of one text into another: sizes, and the digest of what is there now. */
export async function changeLine(line: AuditLine, before: string, after: string): Promise<AuditLine> {
  return {
    ...line,
    bytesBefore: byteLength(before),
    bytesAfter: byteLength(after),
    hash: await digestOf("SHA-256", new TextEncoder().encode(after)),
  };
}
/** One line of the audit trail: who changed what, with sizes and digests instead of contents. */
export interface AuditEntry {
  /** `aud_…`; the same however often it is told. */
  id: string;
  at: number;
  kind: "prompt" | "model" | "command" | "tool" | "message";
  runId?: string;
  /** The plugin, person or part that did it. */
  by: string;
  /** What was changed: a section, a model reference, a command. */
  subject: string;
  bytesBefore?: number;
  bytesAfter?: number;
  /** SHA-256 of what is there now, hex. */
  hash?: string;
  detail?: string;
}
