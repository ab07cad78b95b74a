import { isShellVariable } from "../config/reserved-names.ts";
import type { SkillSecret } from "../security/secret-broker.ts";
import { byName, type SkillEntries, skillEntry, skillKey } from "./gate.ts";
import type { Skill } from "./skill.ts";

/** What the commands of one run see besides the shell's own variables. */
export interface SkillEnv {
  /** Values of secrets by variable, of entries that give commands the values. */
  env: Record<string, string>;
  /** The secrets that commands see placeholders of. */
  secrets: SkillSecret[];
  /** Names of configured secrets that are not set. */
  missing: string[];
  /** Sentences about variables that are withheld, without values. */
  refused: string[];
}

/**
 * The variables that `skills.entries` assigns to usable skills. If two skills want one variable with different secrets,
 * the first by name gets it.
 * @param secret returns the value of a secret of the Worker
 */
export function skillEnv(
  eligible: readonly Skill[],
  entries: SkillEntries,
  secret: (name: string) => string | undefined,
): SkillEnv {
  const assigned = new Map<string, { id: string; by: string }>();
  const missing = new Set<string>();
  const refused = new Set<string>();
  const env: Record<string, string> = {};
  const secrets: SkillSecret[] = [];
  for (const skill of [...eligible].sort(byName)) {
    for (const { name, id } of skillVariables(skill, entries)) {
      const before = assigned.get(name);
      if (isShellVariable(name)) refused.add(`'${skill.name}' does not get ${name}: it would change the shell itself.`);
      else if (before === undefined) {
        const value = secret(id);
        if (value === undefined) {
          missing.add(id);
          continue;
        }
        assigned.set(name, { id, by: skill.name });
        const { hosts, secretMode } = skillEntry(skill, entries) ?? {};
        if (secretMode === "value") env[name] = value;
        else secrets.push({ variable: name, value, skill: skillKey(skill), ...(hosts && { hosts }) });
      } else if (before.id !== id) {
        refused.add(`'${skill.name}' does not get ${name} from ${id}: '${before.by}' has it from ${before.id}.`);
      }
    }
  }
  return { env, secrets, missing: [...missing], refused: [...refused] };
}

/**
 * The variables that a skill's entry assigns, with the names of their secrets. `env` takes precedence over `apiKey`.
 */
export function skillVariables(skill: Skill, entries: SkillEntries): { name: string; id: string; path: string }[] {
  const { env = {}, apiKey } = skillEntry(skill, entries) ?? {};
  const { primaryEnv } = skill.metadata;
  const at = `skills.entries.${skillKey(skill)}`;
  const named = Object.entries(env).map(([name, { id }]) => ({ name, id, path: `${at}.env.${name}` }));
  if (apiKey === undefined || primaryEnv === undefined || Object.hasOwn(env, primaryEnv)) return named;
  return [...named, { name: primaryEnv, id: apiKey.id, path: `${at}.apiKey` }];
}
