import { drizzle } from "drizzle-orm/d1";
import { audit } from "../db/schema.ts";
import { messageOf } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { log } from "../lib/log.ts";
import { head } from "../lib/text.ts";
import type { InstallTarget } from "../skills/install/install-target.ts";
import type { LockEntry, LockSource } from "../skills/install/lock.ts";

const MAX_DETAIL_CHARS = 500;

/** What was done with a skill. */
export type SkillDeed = "installed" | "updated" | "current" | "removed" | "accepted";

/** A change of what is installed. */
export interface SkillChange {
  agentId: string;
  /** `api:token`, `api:page`. */
  by: string;
  deed: SkillDeed;
  scope: InstallTarget["scope"];
  folder: string;
  entry: LockEntry;
}

/**
 * Writes down who changed what is installed, with sizes and digests and no content. Never rejects: the change is made by now, and the
 * log says where the trail has a gap.
 */
export async function writeSkillAudit(
  database: D1Database,
  { agentId, by, deed, scope, folder, entry }: SkillChange,
  now: number,
): Promise<void> {
  const whose = scope === "managed" ? " for all agents" : "";
  const line = {
    id: newId("aud", now),
    at: now,
    kind: "skill",
    agentId,
    sessionKey: "",
    by,
    subject: `${deed} ${folder}${whose}`,
    bytesAfter: deed === "removed" ? 0 : entry.files.reduce((sum, { size }) => sum + size, 0),
    hash: deed === "removed" ? null : entry.digest,
    detail: head(`${entry.version} from ${wordsFor(entry.source)}, ${entry.signature.kind}`, MAX_DETAIL_CHARS),
  };
  try {
    await drizzle(database).insert(audit).values(line);
  } catch (thrown) {
    log("error", "skills.audit_gap", { agentId, subject: line.subject, error: messageOf(thrown) });
  }
}

/** Addresses are told without their query, which may hold a secret. */
function wordsFor(source: LockSource): string {
  if (source.kind === "upload") return "an upload";
  if (source.kind === "clawhub") return `${source.slug} at ${source.registryUrl}`;
  const url = URL.parse(source.url);
  return url === null ? "an address" : `${url.origin}${url.pathname}`;
}
