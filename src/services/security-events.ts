import { drizzle } from "drizzle-orm/d1";
import { audit } from "../db/schema.ts";
import { messageOf } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { log } from "../lib/log.ts";
import { head } from "../lib/text.ts";
import type { AuditKind } from "../security/audit-entry.ts";

const MAX_FIELD_CHARS = 300;

/** Something that happened outside of a session and that an incident needs: who, what, and no content. */
export interface SecurityEvent {
  kind: AuditKind;
  /** Empty if it concerns no agent in particular. */
  agentId: string;
  /** Who did it: a token's name, `page`, an address, a command. */
  by: string;
  /** What it was done to. */
  subject: string;
  detail?: string;
}

/** Writes an event into the audit trail. Never rejects: what cannot be written is logged. */
export async function noteSecurityEvent(database: D1Database, event: SecurityEvent, now: number): Promise<void> {
  const { kind, agentId, by, subject, detail } = event;
  const bounded = (text: string) => head(text, MAX_FIELD_CHARS);
  try {
    await drizzle(database)
      .insert(audit)
      .values({
        ...{ id: newId("aud", now), at: now, kind, agentId, sessionKey: "", runId: null },
        ...{ by: bounded(by), subject: bounded(subject), detail: detail === undefined ? null : bounded(detail) },
        ...{ bytesBefore: null, bytesAfter: null, hash: null },
      });
  } catch (error) {
    log("error", "audit.not_written", { kind, subject: bounded(subject), error: messageOf(error) });
  }
}
