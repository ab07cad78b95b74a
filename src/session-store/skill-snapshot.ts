import { asc } from "drizzle-orm";
import { shortDigest } from "../lib/digest.ts";
import { log } from "../lib/log.ts";
import { byteLength } from "../lib/text.ts";
import type { ScannedSkill } from "../services/skills/scanned-skills.ts";
import { skillParts, skillScan } from "./schema.ts";
import type { Store } from "./store.ts";
import type { ScanHead } from "./stored-shapes.ts";

/** The skills of a session, as they were found at one time. */
export interface SkillSnapshot extends ScanHead {
  scanned: readonly ScannedSkill[];
}

/** A snapshot of scanned skills. */
export async function takeSnapshot(
  head: Omit<ScanHead, "digest">,
  scanned: readonly ScannedSkill[],
): Promise<SkillSnapshot> {
  return { ...head, digest: await shortDigest(JSON.stringify(scanned)), scanned };
}

/** Whether two scans are of the same conversation, places and changes. */
export function isSameScan(a: Omit<ScanHead, "digest">, b: Omit<ScanHead, "digest">): boolean {
  return a.sessionId === b.sessionId && a.places === b.places && a.changes === b.changes;
}

/** Most bytes of skills in one row, whose limit is 2 MB. */
const MAX_PART_BYTES = 900_000;

/** The snapshot of a session; undefined where there is none, or it is damaged. */
export function readSnapshot(store: Store): SkillSnapshot | undefined {
  const head = store.select().from(skillScan).get();
  if (head === undefined) return undefined;
  const parts = store.select().from(skillParts).orderBy(asc(skillParts.part)).all();
  const scanned: ScannedSkill[] = [];
  for (const { body } of parts) {
    if (body === undefined) return damaged();
    scanned.push(...body);
  }
  return head.body === undefined ? damaged() : { ...head.body, scanned };
}

/**
 * Replaces the stored snapshot, within the fence.
 * @param before the stored head; where its skills are the same, they are not written again
 */
export function writeSnapshot(store: Store, { scanned, ...head }: SkillSnapshot, before: ScanHead | undefined): void {
  store
    .insert(skillScan)
    .values({ id: 1, body: head })
    .onConflictDoUpdate({ target: skillScan.id, set: { body: head } })
    .run();
  if (before?.digest === head.digest) return;
  store.delete(skillParts).run();
  for (const [part, body] of inParts(scanned).entries()) store.insert(skillParts).values({ part, body }).run();
}

/** Splits skills into parts that fit into a row. */
function inParts(scanned: readonly ScannedSkill[]): ScannedSkill[][] {
  const parts: ScannedSkill[][] = [];
  let left = 0;
  for (const finding of scanned) {
    const bytes = byteLength(JSON.stringify(finding)) + 1;
    if (bytes > left) {
      parts.push([]);
      left = MAX_PART_BYTES;
    }
    parts.at(-1)?.push(finding);
    left -= bytes;
  }
  return parts;
}

function damaged(): undefined {
  log("error", "skills.snapshot_unreadable", {});
  return undefined;
}
