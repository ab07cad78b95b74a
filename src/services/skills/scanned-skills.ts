import { byteLength, head } from "../../lib/text.ts";
import { type LeftOut, SKILL_SOURCES, type Skill } from "../../skills/skill.ts";

/** One result of a scan. */
export type ScannedSkill =
  | { kind: "skill"; skill: Skill }
  /** A location without a usable skill, whatever the configuration. */
  | { kind: "left-out"; leftOut: LeftOut }
  /** A skill whose files differ from the install. */
  | { kind: "quarantined"; location: string; reason: string }
  /** A note about a usable skill, as a sentence. */
  | { kind: "note"; location: string; text: string };

/** Most characters of a stored description. */
export const MAX_DESCRIPTION_CHARS = 1024;
/** Most bytes as JSON: of one result, of all skills, and of all other results. */
const MAX_RESULT_BYTES = 64 * 1024;
const MAX_SKILLS_BYTES = 3 * 1024 * 1024;
const MAX_REPORT_BYTES = 1024 * 1024;
const MAX_SENTENCE_CHARS = 1000;

/** The results of one scan by kind, before limits apply. */
export interface ScannedSkills {
  skills: readonly Skill[];
  leftOut: readonly LeftOut[];
  /** The reasons of quarantined skills, by location. */
  quarantined: ReadonlyMap<string, string>;
}

/**
 * Results within the limits of storage: long descriptions are cut, and results beyond a limit are dropped, weakest
 * source first, each with a note. The same skills give the same results.
 */
export function scannedSkills({ skills, leftOut, quarantined }: ScannedSkills): ScannedSkill[] {
  const budget = { bytes: MAX_SKILLS_BYTES };
  const kept: ScannedSkill[] = [];
  const refused: LeftOut[] = [];
  const notes: ScannedSkill[] = [];
  for (const skill of [...skills].sort(byStrength)) {
    const { name, source, location } = skill;
    const description = head(skill.description, MAX_DESCRIPTION_CHARS);
    const result: ScannedSkill = { kind: "skill", skill: { ...skill, description } };
    const noRoom = noRoomReason(result, budget);
    if (noRoom === undefined) kept.push(result);
    else refused.push({ name, source, location, code: "too_large", reason: noRoom });
    if (description !== skill.description) notes.push({ kind: "note", location, text: CUT });
  }
  const byLocation = [...quarantined].sort(([a], [b]) => compare(a, b));
  const reported: ScannedSkill[] = [
    ...byLocation.map(([location, reason]) => ({ kind: "quarantined" as const, location, reason: bounded(reason) })),
    ...notes,
    ...[...refused, ...leftOut].sort((a, b) => compare(a.location, b.location)).map(boundedLeftOut),
  ];
  const report = { bytes: MAX_REPORT_BYTES };
  return [...kept, ...reported.filter((result) => noRoomReason(result, report) === undefined)];
}

/** Groups the results of a scan by kind. */
export function groupScanned(scanned: readonly ScannedSkill[]): ScannedSkills & { notes: ReadonlyMap<string, string> } {
  const pick = <Kind extends ScannedSkill["kind"]>(kind: Kind) =>
    scanned.filter((found): found is Extract<ScannedSkill, { kind: Kind }> => found.kind === kind);
  return {
    skills: pick("skill").map(({ skill }) => skill),
    leftOut: pick("left-out").map(({ leftOut }) => leftOut),
    quarantined: new Map(pick("quarantined").map(({ location, reason }) => [location, reason])),
    notes: new Map(pick("note").map(({ location, text }) => [location, text])),
  };
}

const CUT = `Its description is longer than ${MAX_DESCRIPTION_CHARS} characters; the rest of it is not shown to models.`;

function noRoomReason(result: ScannedSkill, budget: { bytes: number }): string | undefined {
  const bytes = byteLength(JSON.stringify(result));
  if (bytes > MAX_RESULT_BYTES) return `Its front matter is too large: ${bytes} bytes, of ${MAX_RESULT_BYTES} at most.`;
  if (bytes > budget.bytes)
    return "There is no room for it beside all other skills: have fewer, or shorten their front matter.";
  budget.bytes -= bytes;
  return undefined;
}

function bounded(sentence: string): string {
  return head(sentence, MAX_SENTENCE_CHARS);
}

function boundedLeftOut(leftOut: LeftOut): ScannedSkill {
  const { name, reason } = leftOut;
  return { kind: "left-out", leftOut: { ...leftOut, name: bounded(name), reason: bounded(reason) } };
}

/** Sorts by strength of the source, then by location. */
function byStrength(a: Skill, b: Skill): number {
  return SKILL_SOURCES.indexOf(a.source) - SKILL_SOURCES.indexOf(b.source) || compare(a.location, b.location);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
