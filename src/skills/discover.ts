import { atMost } from "../lib/at-most.ts";
import { deadline } from "../lib/deadline.ts";
import { messageOf } from "../lib/errors.ts";
import { head } from "../lib/text.ts";
import { findSkills, MAX_DEPTH, type SkillDirectory, type SkippedSkill } from "./find-skills.ts";
import { leftOutFor } from "./gate.ts";
import { leftOutAt, parseSkillFile, type SkillLocation } from "./parse-skill.ts";
import { type LeftOut, SKILL_SOURCES, type Skill, type SkillFile, type SkillRoot } from "./skill.ts";
import type { CachedSkill, SkillCache } from "./skill-cache.ts";

/** Limits of discovery: `skills.limits` of the configuration. */
export interface DiscoveryLimits {
  maxCandidatesPerRoot: number;
  maxSkillsLoadedPerSource: number;
  /** In bytes. */
  maxSkillFileBytes: number;
}

/** The skills in some roots. */
export interface DiscoveredSkills {
  /** One skill per name, from the strongest source, sorted by name. */
  skills: Skill[];
  /**
   * Everything that is not used, with the reason. A root that does not answer is listed with the code `unreachable` and
   * its address as location.
   */
  leftOut: LeftOut[];
  /** The files of each skill by the location of its SKILL.md, with paths relative to the skill's folder. */
  files: ReadonlyMap<string, SkillFile[]>;
}

/** Store operations in progress at once; a Worker has six connections. */
const IN_FLIGHT = 6;
/** Timeout of a store operation, in milliseconds. */
const ANSWER_MS = 20_000;
/** Most skipped skills of a root that are reported individually; of the rest only the number is. */
const MAX_NAMED = 100;

/**
 * Finds the skills in roots, and reads each SKILL.md whose version is not cached. Of two skills with one name, the
 * stronger source counts, then the earlier root, then the earlier path. Never throws: a root or file that does not
 * answer is reported, and the others load.
 */
export async function discover(
  roots: readonly SkillRoot[],
  limits: DiscoveryLimits,
  cache: SkillCache,
): Promise<DiscoveredSkills> {
  const listings = await atMost(IN_FLIGHT, byStrength(roots), (root) => listRoot(root, limits));
  const candidates = listings.flatMap(({ found }) => found);
  const read = await atMost(IN_FLIGHT, candidates, (candidate) => readCandidate(candidate, limits, cache));
  const { skills, left: unused } = resolveNames(
    read.filter((value) => value !== undefined),
    limits,
  );
  return {
    skills,
    leftOut: [...listings.flatMap(({ leftOut }) => leftOut), ...unused],
    files: new Map(candidates.map(({ skill, at }) => [at.location, skill.files])),
  };
}

interface SkillCandidate {
  root: SkillRoot;
  skill: SkillDirectory;
  at: SkillLocation;
}

/** Lists a root; a failure becomes a reason. */
async function listRoot(
  root: SkillRoot,
  limits: DiscoveryLimits,
): Promise<{ found: SkillCandidate[]; leftOut: LeftOut[] }> {
  try {
    const files = await withTimeout(root.list());
    const { found, skipped } = findSkills(files, limits.maxCandidatesPerRoot);
    return {
      found: found.map((skill) => ({ root, skill, at: locateSkill(root, skill) })),
      leftOut: skippedReasons(root, skipped, limits),
    };
  } catch (thrown) {
    const at = { source: root.source, location: root.address, folder: root.address };
    return { found: [], leftOut: [leftOutAt(at, "unreachable", noAnswerReason("This folder", thrown))] };
  }
}

/** Reads one SKILL.md, unless its version is cached; undefined if it is gone. */
async function readCandidate(
  { root, skill: { file }, at }: SkillCandidate,
  { maxSkillFileBytes }: DiscoveryLimits,
  cache: SkillCache,
): Promise<CachedSkill | undefined> {
  if (file.size > maxSkillFileBytes) return tooLarge(at, file.size, maxSkillFileBytes);
  const known = cache.get(at.location, file.etag, file.size);
  if (known !== undefined) return known;
  try {
    const bytes = await withTimeout(root.read(file.path, file.etag));
    // The file has changed since the listing: it is read now, and cached at the next scan under its own etag.
    const newer = bytes ?? (await withTimeout(root.read(file.path)));
    if (newer === undefined) return undefined;
    if (newer.length > maxSkillFileBytes) return tooLarge(at, newer.length, maxSkillFileBytes);
    const value = await parseFile(newer, at);
    if (bytes !== undefined) cache.set(at.location, file.etag, file.size, value);
    return value;
  } catch (thrown) {
    return { kind: "invalid", leftOut: leftOutAt(at, "unreadable", noAnswerReason("Its SKILL.md", thrown)) };
  }
}

function tooLarge(at: SkillLocation, bytes: number, max: number): CachedSkill {
  const reason = `Its SKILL.md has ${bytes} bytes; ${max} are read at most. Move what is long into files beside it.`;
  return { kind: "invalid", leftOut: leftOutAt(at, "too_large", reason) };
}

async function parseFile(bytes: Uint8Array, at: SkillLocation): Promise<CachedSkill> {
  const result = await parseSkillFile(bytes, at);
  if (result.kind === "invalid") return result;
  const { skill, issues } = result;
  return { kind: "skill", skill: issues.length === 0 ? skill : { ...skill, issues } };
}

/** Picks one skill per name, in order of strength and up to the limit of each source; the others get a reason. */
function resolveNames(read: readonly CachedSkill[], limits: DiscoveryLimits): { skills: Skill[]; left: LeftOut[] } {
  const chosen = new Map<string, Skill>();
  const loaded = new Map<string, number>();
  const unused: LeftOut[] = [];
  for (const value of read) {
    if (value.kind === "invalid") {
      unused.push(value.leftOut);
      continue;
    }
    const { skill } = value;
    const count = loaded.get(skill.source) ?? 0;
    const stronger = chosen.get(skill.name);
    if (count >= limits.maxSkillsLoadedPerSource) unused.push(leftOutFor(skill, "too_many", tooManyLoaded(limits)));
    else if (stronger !== undefined) unused.push(leftOutFor(skill, "shadowed", shadowed(skill, stronger)));
    else chosen.set(skill.name, skill);
    loaded.set(skill.source, count + 1);
  }
  return { skills: [...chosen.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), left: unused };
}

function shadowed({ name, source }: Skill, { location, source: by }: Skill): string {
  const why = source === by ? "it comes first there" : `${by} skills come before ${source} skills`;
  return `Another skill named \`${name}\` counts instead, ${location}: ${why}. Give one of them another name to have both.`;
}

function tooManyLoaded({ maxSkillsLoadedPerSource: max }: DiscoveryLimits): string {
  return `Its source has more than ${max} skills. Raise skills.limits.maxSkillsLoadedPerSource, or remove some.`;
}

function skippedReasons(root: SkillRoot, skipped: readonly SkippedSkill[], limits: DiscoveryLimits): LeftOut[] {
  const why: Record<SkippedSkill["code"], string> = {
    too_deep: `It is more than ${MAX_DEPTH} folders deep. Move it up.`,
    too_many: `Its place has more than ${limits.maxCandidatesPerRoot} skills. Raise skills.limits.maxCandidatesPerRoot, or remove some.`,
    below_root: `${root.address}SKILL.md makes the whole place one skill. Move that file into a folder of its own.`,
  };
  const named = skipped.slice(0, MAX_NAMED).map(({ path, folder, code }) => {
    const at = { source: root.source, location: `${root.address}${path}`, folder: lastName(folder) };
    return leftOutAt(at, code, why[code]);
  });
  const more = skipped.length - named.length;
  if (more === 0) return named;
  const at = { source: root.source, location: root.address, folder: root.address };
  return [...named, leftOutAt(at, "too_many", `${more} more skills of this place are not looked at.`)];
}

function locateSkill({ source, address, mount }: SkillRoot, { folder, file }: SkillDirectory): SkillLocation {
  return {
    source,
    location: `${address}${file.path}`,
    baseDir: folder === "" ? mount.replace(/\/$/, "") : `${mount}${folder}`,
    etag: file.etag,
    folder: lastName(folder === "" ? mount.replace(/\/$/, "") : folder),
  };
}

function lastName(folder: string): string {
  return folder.slice(folder.lastIndexOf("/") + 1);
}

/** Sorts roots by strength of their source; the order within a source is kept. */
function byStrength(roots: readonly SkillRoot[]): SkillRoot[] {
  return SKILL_SOURCES.flatMap((source) => roots.filter((root) => root.source === source));
}

function noAnswerReason(what: string, thrown: unknown): string {
  return `${what} did not answer: ${head(messageOf(thrown), 300)} It is looked at again later.`;
}

/** Awaits an operation, and throws after `ANSWER_MS`. */
async function withTimeout<Answer>(work: Promise<Answer>): Promise<Answer> {
  const { signal, done } = deadline(ANSWER_MS);
  try {
    return await Promise.race([
      work,
      new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true })),
    ]);
  } finally {
    done();
  }
}
