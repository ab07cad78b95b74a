import { isReservedName } from "../config/reserved-names.ts";
import { variableName } from "../config/secret-ref.ts";
import type { LeftOut, Skill } from "./skill.ts";
import type { SkillSet } from "./skill-set.ts";

/** What the configuration says of one skill; secrets are names. */
export interface SkillEntry {
  enabled: boolean;
  apiKey?: { id: string } | undefined;
  env: Readonly<Record<string, { id: string }>>;
}

export type SkillEntries = Readonly<Record<string, SkillEntry>>;

/** What the gates look at. Nodes add their systems and commands to the two sets. */
export interface GateFacts {
  /** `linux` is ours. */
  os: ReadonlySet<string>;
  /** What the shell offers. */
  commands: ReadonlySet<string>;
  /** Whether a variable of the Worker is there that is not kept for itself. */
  hasEnv(name: string): boolean;
  /** What the configuration says at a path; a reference to a secret that is not set is undefined. */
  configAt(path: string): unknown;
  entries: SkillEntries;
  /** The bundled skills that may be used, by key or name; all where it is absent. */
  allowBundled?: readonly string[] | undefined;
  /** The agent's list, by name: none where it is empty, all where it is absent. */
  allowed?: readonly string[] | undefined;
  /** Why a skill is quarantined, by its location. */
  quarantined: ReadonlyMap<string, string>;
}

/** Why a gate is shut. */
export type GateCode =
  | "quarantined"
  | "disabled"
  | "not_bundled_allowed"
  | "not_agent_allowed"
  | "os"
  | "missing_bins"
  | "missing_any_bins"
  | "missing_env"
  | "missing_config";

interface Shut {
  code: GateCode;
  reason: string;
}

/** The key of a skill in `skills.entries`. */
export function skillKeyOf(skill: Pick<Skill, "name" | "metadata">): string {
  return skill.metadata.skillKey ?? skill.name;
}

/** What the configuration says of a skill, if anything. */
export function entryOf(skill: Pick<Skill, "name" | "metadata">, entries: SkillEntries): SkillEntry | undefined {
  const key = skillKeyOf(skill);
  return Object.hasOwn(entries, key) ? entries[key] : undefined;
}

/** Which of these skills may be used, by name; of every other one, by location, all that keeps it out, in one sentence or several. */
export function gateSkills(skills: readonly Skill[], facts: GateFacts): SkillSet {
  const eligible: Skill[] = [];
  const leftOut: LeftOut[] = [];
  for (const skill of skills) {
    const shut = gatesShut(skill, facts);
    const [first] = shut;
    if (first === undefined) eligible.push(skill);
    else leftOut.push(leftOutFor(skill, first.code, shut.map(({ reason }) => reason).join(" ")));
  }
  return { eligible: eligible.sort(byName), leftOut: leftOut.sort(byLocation) };
}

/** A skill that is not used, and why. */
export function leftOutFor({ name, source, location }: Skill, code: string, reason: string): LeftOut {
  return { name, source, location, code, reason };
}

/** The order of names: by their UTF-16 units, the same everywhere. */
export function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

/** The order of places. */
export function byLocation(a: { location: string }, b: { location: string }): number {
  return a.location < b.location ? -1 : a.location > b.location ? 1 : 0;
}

/** What somebody decided comes alone; of what is missing everything is told. `always` skips the latter only. */
function gatesShut(skill: Skill, facts: GateFacts): Shut[] {
  const decided = whyDecided(skill, facts) ?? whyOtherSystem(skill, facts);
  if (decided !== undefined) return [decided];
  return skill.metadata.always ? [] : whatIsMissing(skill, facts);
}

function whyDecided(skill: Skill, { quarantined, entries, allowBundled, allowed }: GateFacts): Shut | undefined {
  const key = skillKeyOf(skill);
  const why = quarantined.get(skill.location);
  if (why !== undefined) return { code: "quarantined", reason: why };
  if (entryOf(skill, entries)?.enabled === false) {
    const reason = `It is switched off: set skills.entries.${key}.enabled to true, or take that out.`;
    return { code: "disabled", reason };
  }
  if (
    skill.source === "bundled" &&
    allowBundled !== undefined &&
    !allowBundled.some((name) => name === key || name === skill.name)
  ) {
    const reason = `It is bundled, and not in skills.allowBundled: add '${key}' there.`;
    return { code: "not_bundled_allowed", reason };
  }
  return allowed && whyNotAllowed(skill, key, allowed, entries);
}

/** Agents write skills: one that has the name of an allowed skill and the key of another is not given the other's secrets. */
function whyNotAllowed(skill: Skill, key: string, allowed: readonly string[], entries: SkillEntries): Shut | undefined {
  if (!allowed.includes(skill.name)) {
    const reason = `It is not in the agent's list of skills: add '${skill.name}' to the agent's \`skills\`.`;
    return { code: "not_agent_allowed", reason };
  }
  const { apiKey, env = {} } = entryOf(skill, entries) ?? {};
  const hasSecrets = apiKey !== undefined || Object.keys(env).length > 0;
  if (key === skill.name || !hasSecrets || allowed.includes(key)) return undefined;
  const reason = `Its key '${key}' has secrets, and is not in the agent's list of skills: add '${key}' to the agent's \`skills\`.`;
  return { code: "not_agent_allowed", reason };
}

function whyOtherSystem({ metadata }: Skill, { os }: GateFacts): Shut | undefined {
  const wanted = metadata.os ?? [];
  if (wanted.length === 0 || wanted.some((name) => os.has(name))) return undefined;
  const reason = `It is for ${wanted.join(", ")}, and commands run on ${[...os].join(", ")} here.`;
  return { code: "os", reason };
}

function whatIsMissing(skill: Skill, facts: GateFacts): Shut[] {
  const { bins = [], anyBins = [], env = [], config = [] } = skill.metadata.requires ?? {};
  const shut: Shut[] = [];
  const absent = bins.filter((name) => !facts.commands.has(name));
  if (absent.length > 0) shut.push({ code: "missing_bins", reason: `The shell has no ${listed(absent)}.` });
  if (anyBins.length > 0 && !anyBins.some((name) => facts.commands.has(name))) {
    shut.push({ code: "missing_any_bins", reason: `The shell has none of ${anyBins.join(", ")}.` });
  }
  shut.push(...env.flatMap((name) => whyWithout(name, skill, facts) ?? []));
  const untrue = config.filter((path) => !isTruthy(facts.configAt(path)));
  if (untrue.length > 0) {
    const reason = `It wants ${listed(untrue)} in the configuration: set what of that there is here (GET /v1/config/schema).`;
    shut.push({ code: "missing_config", reason });
  }
  return shut;
}

/** Why a variable is not there, and how it would be. */
function whyWithout(name: string, skill: Skill, facts: GateFacts): Shut | undefined {
  if (facts.hasEnv(name)) return undefined;
  const entry = entryOf(skill, facts.entries);
  const isKey = skill.metadata.primaryEnv === name;
  const named = (entry !== undefined && Object.hasOwn(entry.env, name) && entry.env[name]) || undefined;
  const given = named ?? (isKey ? entry?.apiKey : undefined);
  if (given !== undefined && facts.hasEnv(given.id)) return undefined;
  const field = isKey && named === undefined ? ["apiKey"] : ["env", name];
  const path = ["skills", "entries", skillKeyOf(skill), ...field];
  const at = path.join(".");
  if (given !== undefined) {
    const put = `\`wrangler secret put ${given.id}\``;
    return { code: "missing_env", reason: `${name} is not set: ${at} names ${given.id}, which is not there; ${put}.` };
  }
  const [what, stored] = isReservedName(name)
    ? [`${name} is kept for Isopod itself: store the skill's own value`, variableName(path)]
    : [`${name} is not set: store it`, name];
  const reason = `${what}, \`wrangler secret put ${stored}\`, and name that in ${at}.`;
  return { code: "missing_env", reason };
}

function isTruthy(value: unknown): boolean {
  return typeof value === "string" ? value.trim() !== "" : Boolean(value);
}

function listed(names: readonly string[]): string {
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} and ${last}`;
}
