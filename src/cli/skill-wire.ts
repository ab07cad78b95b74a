/** What `GET /v1/agents/:id/skills` answers. */
export interface SkillsReport {
  /** By name; of one name the one that counts first. */
  skills: SkillLine[];
  totals: { found: number; eligible: number; shown: number; cut: number; tokens: number; chars: number };
  /** What is amiss with what skills are given. */
  warnings: string[];
}

/** One skill that was found. What its SKILL.md says is absent where it could not be read. */
export interface SkillLine {
  name: string;
  source: "workspace" | "agents" | "managed" | "bundled" | "extra" | "plugin";
  location: string;
  eligible: boolean;
  /** Why it is not, for programs and for people. */
  code?: string;
  reason?: string;
  shown: boolean;
  /** Why no prompt lists it, where there was no room. */
  cut?: string;
  tokens: number;
  description?: string;
  version?: string;
  /** Its key in `skills.entries`. */
  key?: string;
  command?: string;
  emoji?: string;
  homepage?: string;
  license?: string;
  env?: { name: string; set: boolean }[];
  installers?: { kind: string; what: string; reason: string }[];
  warnings?: string[];
}

/** Whether a value is what `GET /v1/agents/:id/skills` answers. */
export function isSkillsReport(value: unknown): value is SkillsReport {
  if (!isRecord(value) || !isRecord(value.totals) || !Array.isArray(value.warnings)) return false;
  return Array.isArray(value.skills) && value.skills.every((line) => isRecord(line) && typeof line.name === "string");
}

/** Whether a value is what `GET /v1/agents/:id/skills/:name` answers; without a text where its SKILL.md is none. */
export function isSkillDetail(value: unknown): value is SkillLine & { text?: string } {
  return isRecord(value) && typeof value.name === "string" && ["string", "undefined"].includes(typeof value.text);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
