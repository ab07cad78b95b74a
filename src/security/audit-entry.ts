import { digestOf } from "../lib/digest.ts";
import { byteLength } from "../lib/text.ts";
import type { AuditEntry } from "../session-store/stored-shapes.ts";

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
