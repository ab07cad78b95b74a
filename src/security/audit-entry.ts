import { digestOf } from "../lib/digest.ts";
import { byteLength } from "../lib/text.ts";

/** An audit entry before it has its id and time. */
export type AuditLine = Omit<AuditEntry, "id" | "at">;

/** Adds a change of one text into another: sizes, and the digest of the new text. */
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
  /** `aud_…`; stable over retries. */
  id: string;
  at: number;
  kind: AuditKind;
  runId?: string;
  /** The plugin, person or component that made the change. */
  by: string;
  /** What was changed: a section, a model reference, a command. */
  subject: string;
  bytesBefore?: number;
  bytesAfter?: number;
  /** SHA-256 of the new text, hex. */
  hash?: string;
  detail?: string;
}

/** What a line of the audit trail is about. */
export type AuditKind = (typeof AUDIT_KINDS)[number];

/** All kinds of lines. */
export const AUDIT_KINDS = [
  "prompt",
  "model",
  "command",
  "tool",
  "message",
  "config",
  "skill",
  "mcp",
  "injection",
  "approval",
  "refusal",
  "run",
  "delivery",
  "pairing",
  "channel",
  "login",
  "token",
  "file",
] as const;
