import { isReservedName } from "../config/reserved-names.ts";
import { variableName } from "../config/secret-ref.ts";
import type { LeftOut, Skill, SkillSet } from "./skill.ts";

/** The entry of one skill in `skills.entries`; secrets are given by name. */
export interface SkillEntry {
  enabled: boolean;
  apiKey?: { id: string } | undefined;
  env: Readonly<Record<string, { id: string }>>;
  /** The hosts that its secrets may be sent to; absent if none are named. */
  hosts?: readonly string[] | undefined;
  /** Whether commands see the values themselves. */
  secretMode?: "placeholder" | "value" | undefined;
}

export type SkillEntries = Readonly<Record<string, SkillEntry>>;

/** The facts that decide whether a skill may be used. Connected nodes add to the first two sets. */
export interface GateFacts {
  /** Operating systems; the built-in shell is `linux`. */
  os: ReadonlySet<string>;
  /** Available commands. */
  commands: ReadonlySet<string>;
  /** Whether a variable of the Worker is set and not reserved. */
  hasEnv(name: string): boolean;
  /** The configured value at a path; a reference to an unset secret is undefined. */
  configAt(path: string): unknown;
  entries: SkillEntries;
  /** Allowed bundled skills, by key or name; all if absent. */
  allowBundled?: readonly string[] | undefined;
  /** The agent's allowed skills, by name; none if empty, all if absent. */
  allowed?: readonly string[] | undefined;
  /** Why a skill is quarantined, by its location. */
  quarantined: ReadonlyMap<string, string>;
}

/** Why a skill may not be used. */
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

interface ClosedGate {
  code: GateCode;
  reason: string;
}

/** The key of a skill in `skills.entries`. */
export function skillKey(skill: Pick<Skill, "name" | "metadata">): string {
  return skill.metadata.skillKey ?? skill.name;
}

/** The entry of a skill in `skills.entries`, if it has one. */
export function skillEntry(skill: Pick<Skill, "name" | "metadata">, entries: SkillEntries): SkillEntry | undefined {
  const key = skillKey(skill);
  return Object.hasOwn(entries, key) ? entries[key] : undefined;
}

/** Separates the usable skills, by name, from the others, by location, with all reasons as sentences. */
export function gateSkills(skills: readonly Skill[], facts: GateFacts): SkillSet {
  const eligible: Skill[] = [];
  const leftOut: LeftOut[] = [];
  for (const skill of skills) {
    const closed = closedGates(skill, facts);
    const [first] = closed;
    if (first === undefined) eligible.push(skill);
    else leftOut.push(leftOutFor(skill, first.code, closed.map(({ reason }) => reason).join(" ")));
  }
  return { eligible: eligible.sort(byName), leftOut: leftOut.sort(byLocation) };
}

/** A record of a skill that is not used. */
export function leftOutFor({ name, source, location }: Skill, code: string, reason: string): LeftOut {
  return { name, source, location, code, reason };
}

/** Compares names by their UTF-16 units. */
export function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

/** Compares locations. */
export function byLocation(a: { location: string }, b: { location: string }): number {
  return a.location < b.location ? -1 : a.location > b.location ? 1 : 0;
}

/**
 * The closed gates of a skill. A policy or operating system gate is reported alone; of unmet requirements all are.
 * `always` skips only the requirements.
 */
function closedGates(skill: Skill, facts: GateFacts): ClosedGate[] {
  const decided = policyGate(skill, facts) ?? osGate(skill, facts);
  if (decided !== undefined) return [decided];
  return skill.metadata.always ? [] : requirementGates(skill, facts);
}

function policyGate(skill: Skill, { quarantined, entries, allowBundled, allowed }: GateFacts): ClosedGate | undefined {
  const key = skillKey(skill);
  const why = quarantined.get(skill.location);
  if (why !== undefined) return { code: "quarantined", reason: why };
  if (skillEntry(skill, entries)?.enabled === false) {
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
  return allowed && agentListGate(skill, key, allowed, entries);
}

/**
 * The agent's list of skills. Agents can write skills, so a skill with an allowed name but another skill's key must not
 * get that key's secrets.
 */
function agentListGate(
  skill: Skill,
  key: string,
  allowed: readonly string[],
  entries: SkillEntries,
): ClosedGate | undefined {
  if (!allowed.includes(skill.name)) {
    const reason = `It is not in the agent's list of skills, or not in this group's: add '${skill.name}' to \`skills\` there.`;
    return { code: "not_agent_allowed", reason };
  }
  const { apiKey, env = {} } = skillEntry(skill, entries) ?? {};
  const hasSecrets = apiKey !== undefined || Object.keys(env).length > 0;
  if (key === skill.name || !hasSecrets || allowed.includes(key)) return undefined;
  const reason = `Its key '${key}' has secrets, and is not in the agent's list of skills: add '${key}' to the agent's \`skills\`.`;
  return { code: "not_agent_allowed", reason };
}

function osGate({ metadata }: Skill, { os }: GateFacts): ClosedGate | undefined {
  const systems = metadata.os ?? [];
  if (systems.length === 0 || systems.some((name) => os.has(name))) return undefined;
  const reason = `It is for ${systems.join(", ")}, and commands run on ${[...os].join(", ")} here.`;
  return { code: "os", reason };
}

function requirementGates(skill: Skill, facts: GateFacts): ClosedGate[] {
  const { bins = [], anyBins = [], env = [], config = [] } = skill.metadata.requires ?? {};
  const closed: ClosedGate[] = [];
  const absent = bins.filter((name) => !facts.commands.has(name));
  if (absent.length > 0) closed.push({ code: "missing_bins", reason: `The shell has no ${listed(absent)}.` });
  if (anyBins.length > 0 && !anyBins.some((name) => facts.commands.has(name))) {
    closed.push({ code: "missing_any_bins", reason: `The shell has none of ${anyBins.join(", ")}.` });
  }
  closed.push(...env.flatMap((name) => variableGate(name, skill, facts) ?? []));
  const untrue = config.filter((path) => !isTruthy(facts.configAt(path)));
  if (untrue.length > 0) {
    const reason = `It requires ${listed(untrue)} in the configuration. Set the fields that exist here (GET /v1/config/schema).`;
    closed.push({ code: "missing_config", reason });
  }
  return closed;
}

/** The gate of a required variable, with how to set it. */
function variableGate(name: string, skill: Skill, facts: GateFacts): ClosedGate | undefined {
  if (facts.hasEnv(name)) return undefined;
  const entry = skillEntry(skill, facts.entries);
  const isKey = skill.metadata.primaryEnv === name;
  const named = (entry !== undefined && Object.hasOwn(entry.env, name) && entry.env[name]) || undefined;
  const assigned = named ?? (isKey ? entry?.apiKey : undefined);
  if (assigned !== undefined && facts.hasEnv(assigned.id)) return undefined;
  const field = isKey && named === undefined ? ["apiKey"] : ["env", name];
  const path = ["skills", "entries", skillKey(skill), ...field];
  const at = path.join(".");
  if (assigned !== undefined) {
    const put = `\`wrangler secret put ${assigned.id}\``;
    return {
      code: "missing_env",
      reason: `${name} is not set: ${at} names ${assigned.id}, which is not there; ${put}.`,
    };
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
