import { drizzle } from "drizzle-orm/d1";
import { audit } from "../../db/schema.ts";
import { messageOf } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { log } from "../../lib/log.ts";
import { head } from "../../lib/text.ts";
import type { InstallTarget } from "../../skills/install/install-target.ts";
import type { LockEntry, LockSource } from "../../skills/install/lock.ts";

const MAX_DETAIL_CHARS = 500;

export type SkillAction = "installed" | "updated" | "current" | "removed" | "accepted";

/** A change of an installed skill. */
export interface SkillChange {
  agentId: string;
  /** `api:token`, `api:page`. */
  by: string;
  action: SkillAction;
  scope: InstallTarget["scope"];
  folder: string;
  entry: LockEntry;
}

/**
 * Adds a change of an installed skill to the audit trail, with sizes and digests but no content. Never rejects, because
 * the change has been made; a failure is logged as a gap.
 */
export async function writeSkillAudit(
  database: D1Database,
  { agentId, by, action, scope, folder, entry }: SkillChange,
  now: number,
): Promise<void> {
  const scopeText = scope === "managed" ? " for all agents" : "";
  const line = {
    id: newId("aud", now),
    at: now,
    kind: "skill",
    agentId,
    sessionKey: "",
    by,
    subject: `${action} ${folder}${scopeText}`,
    bytesAfter: action === "removed" ? 0 : entry.files.reduce((sum, { size }) => sum + size, 0),
    hash: action === "removed" ? null : entry.digest,
    detail: head(`${entry.version} from ${sourceText(entry.source)}, ${entry.signature.kind}`, MAX_DETAIL_CHARS),
  };
  try {
    await drizzle(database).insert(audit).values(line);
  } catch (thrown) {
    log("error", "skills.audit_gap", { agentId, subject: line.subject, error: messageOf(thrown) });
  }
}

/** The source of an install; a URL without its query, which may contain a secret. */
function sourceText(source: LockSource): string {
  if (source.kind === "upload") return "an upload";
  if (source.kind === "clawhub") return `${source.slug} at ${source.registryUrl}`;
  const url = URL.parse(source.url);
  return url === null ? "an address" : `${url.origin}${url.pathname}`;
}
