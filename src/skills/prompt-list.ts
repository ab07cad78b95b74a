import { estimateTokens } from "../lib/tokens.ts";
import { sanitizeForPrompt } from "../security/sanitize.ts";
import { byName, leftOutFor } from "./gate.ts";
import type { LeftOut, Skill } from "./skill.ts";

const OPENING = "<available_skills>\n";
const CLOSING = "</available_skills>";

/** Characters of a list without its skills. */
export const LIST_OVERHEAD_CHARS = 38;

/** Characters of a skill's element without its escaped name, description, location and version. */
export const SKILL_OVERHEAD_CHARS = 121;

/** Limits of the list of skills in a prompt. */
export interface SkillListLimits {
  maxSkillsInPrompt: number;
  maxSkillsPromptChars: number;
}

/** The list of skills for a prompt. */
export interface SkillList {
  /** Undefined if it is empty. */
  text: string | undefined;
  /** The skills in it, by name. */
  shown: Skill[];
  /** Skills that a limit keeps out. They can still be used by name or as a command. */
  cut: LeftOut[];
}

/**
 * The list of skills for a prompt, by name. Skills with `disable-model-invocation` are not in it. A skill that does not
 * fit does not keep out a shorter one after it.
 */
export function skillsPrompt(skills: readonly Skill[], limits: SkillListLimits): SkillList {
  const shown: Skill[] = [];
  const cut: LeftOut[] = [];
  let text = OPENING;
  for (const skill of [...skills].sort(byName)) {
    if (skill.invocation.disableModelInvocation) continue;
    const element = skillElement(skill);
    const why = whyCut(shown.length + 1, text.length + element.length + CLOSING.length, limits);
    if (why !== undefined) {
      cut.push(leftOutFor(skill, "cut", why));
      continue;
    }
    shown.push(skill);
    text += element;
  }
  return { text: shown.length === 0 ? undefined : text + CLOSING, shown, cut };
}

/** The estimated tokens of a skill in each prompt that lists it. */
export function skillTokens(skill: Skill): number {
  return estimateTokens(skillElement(skill));
}

function whyCut(count: number, chars: number, limits: SkillListLimits): string | undefined {
  if (count > limits.maxSkillsInPrompt) {
    const why = `The prompt lists ${limits.maxSkillsInPrompt} skills`;
    return `${why}: raise skills.limits.maxSkillsInPrompt, or have fewer.`;
  }
  if (chars <= limits.maxSkillsPromptChars) return undefined;
  const why = `The prompt's list of skills has ${limits.maxSkillsPromptChars} characters at most`;
  return `${why}: shorten descriptions, or raise maxSkillsPromptChars in skills.limits or the agent's skillsLimits.`;
}

function skillElement({ name, description, location, version }: Skill): string {
  return `  <skill>
    <name>${escapeXml(name)}</name>
    <description>${escapeXml(description)}</description>
    <location>${escapeXml(location)}</location>
    <version>${escapeXml(version)}</version>
  </skill>
`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** Escapes a value for XML, on one line and without invisible characters. */
function escapeXml(value: string): string {
  return sanitizeForPrompt(value).replace(/[&<>"']/g, (mark) => ENTITIES[mark] ?? mark);
}
