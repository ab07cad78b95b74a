import { asc } from "drizzle-orm";
import { log } from "../lib/log.ts";
import { shortDigest } from "../lib/short-digest.ts";
import { byteLength } from "../lib/text.ts";
import type { Finding } from "../services/skills/scanned-skills.ts";
import { skillLook, skillParts } from "./schema.ts";
import type { Store } from "./store.ts";

/** Of what a snapshot of skills is one: where any of this is another, it is not of now. */
export interface LookHead {
  /** The conversation for which it was taken. */
  sessionId: string;
  /** Where was looked, and within which limits; see `placesOf`. */
  places: string;
  /** How often skills had been changed from outside of conversations when the look began. */
  changes: number;
  /** Of the findings. */
  digest: string;
}

/** The skills that a session works with, as they were found at one moment. */
export interface Snapshot extends LookHead {
  findings: readonly Finding[];
}

/** A snapshot of what was found. */
export async function snapshotOf(look: Omit<LookHead, "digest">, findings: readonly Finding[]): Promise<Snapshot> {
  return { ...look, digest: await shortDigest(JSON.stringify(findings)), findings };
}

/** Whether two looks were made for the same conversation, at the same places, after the same changes. */
export function isSameLook(a: Omit<LookHead, "digest">, b: Omit<LookHead, "digest">): boolean {
  return a.sessionId === b.sessionId && a.places === b.places && a.changes === b.changes;
}

/** Most bytes of findings in one row, whose limit is 2 MB. */
const MAX_PART_BYTES = 900_000;

/** The snapshot of a session; undefined where there is none, or it is damaged. */
export function readSnapshot(store: Store): Snapshot | undefined {
  const head = store.select().from(skillLook).get();
  if (head === undefined) return undefined;
  const parts = store.select().from(skillParts).orderBy(asc(skillParts.part)).all();
  const findings: Finding[] = [];
  for (const { body } of parts) {
    if (body === undefined) return damaged();
    findings.push(...body);
  }
  return head.body === undefined ? damaged() : { ...head.body, findings };
}

/**
 * Stores a snapshot in place of the one before, within the fence.
 * @param before what is stored; where its findings are these, they are not written again
 */
export function writeSnapshot(store: Store, { findings, ...head }: Snapshot, before: LookHead | undefined): void {
  store
    .insert(skillLook)
    .values({ id: 1, body: head })
    .onConflictDoUpdate({ target: skillLook.id, set: { body: head } })
    .run();
  if (before?.digest === head.digest) return;
  store.delete(skillParts).run();
  for (const [part, body] of inParts(findings).entries()) store.insert(skillParts).values({ part, body }).run();
}

/** Findings, as many together as fit into a row. */
function inParts(findings: readonly Finding[]): Finding[][] {
  const parts: Finding[][] = [];
  let left = 0;
  for (const finding of findings) {
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
