import { type BrokenFrontMatter, readFrontMatter } from "./front-matter.ts";
import { parseMetadata, trimmed } from "./metadata.ts";
import type { SkillInvocation, SkillMetadata } from "./skill.ts";

/** What the text of a SKILL.md says, before anybody knows where it is or whether it is a skill at all. */
export interface SkillReading {
  kind: "read";
  name: string | undefined;
  description: string | undefined;
  /** Undefined where it says nothing to us. */
  metadata: SkillMetadata | undefined;
  invocation: SkillInvocation;
  homepage: string | undefined;
  license: string | undefined;
  compatibility: string | undefined;
  allowedTools: readonly string[] | undefined;
  /** Whether it has front matter. */
  hasFrontMatter: boolean;
  /** What follows the front matter. */
  body: string;
  /** Sentences about what of it is not used, or was mended. */
  issues: readonly string[];
}

const YES = ["true", "1", "yes", "on"];
const NO = ["false", "0", "no", "off"];

/** Reads the text of a SKILL.md as OpenClaw 2026.9.6 does. Never throws. */
export function readSkillText(text: string): SkillReading | BrokenFrontMatter {
  const matter = readFrontMatter(text);
  if (matter.kind === "broken") return matter;
  const { fields, body, isThere: hasFrontMatter } = matter;
  const { metadata, issues } = parseMetadata(fields.get("metadata"));
  const dispatch = toolDispatch(fields);
  const { homepage = fields.get("homepage") ?? fields.get("website") ?? fields.get("url") } = metadata ?? {};
  return {
    kind: "read",
    name: trimmed(fields.get("name")),
    description: trimmed(fields.get("description")),
    metadata,
    invocation: {
      userInvocable: booleanField(fields.get("user-invocable"), true),
      disableModelInvocation: booleanField(fields.get("disable-model-invocation"), false),
      ...(dispatch.tool !== undefined && { dispatchTool: dispatch.tool }),
    },
    homepage: trimmed(homepage),
    license: trimmed(fields.get("license")),
    compatibility: trimmed(fields.get("compatibility")),
    allowedTools: toolList(fields.get("allowed-tools")),
    hasFrontMatter,
    body,
    issues: [...(matter.isRepaired ? [REPAIRED] : []), ...issues, ...dispatch.issues],
  };
}

const REPAIRED =
  "Its front matter is YAML only with quotes around its description, and was read as if they were there.";

/** What is neither yes nor no counts as absent. */
function booleanField(value: string | undefined, standard: boolean): boolean {
  const word = value?.trim().toLowerCase() ?? "";
  return YES.includes(word) || (standard && !NO.includes(word));
}

/** The tool that the skill's command goes to, with its arguments as they were written. */
function toolDispatch(fields: ReadonlyMap<string, string>): { tool?: string; issues: string[] } {
  const field = (name: string) => fields.get(name) ?? fields.get(name.replaceAll("-", "_"));
  if (trimmed(field("command-dispatch"))?.toLowerCase() !== "tool") return { issues: [] };
  const tool = trimmed(field("command-tool"));
  if (tool === undefined)
    return { issues: ["It has `command-dispatch: tool` and no `command-tool`, so its command goes to the model."] };
  const mode = trimmed(field("command-arg-mode"))?.toLowerCase() ?? "raw";
  const issues =
    mode === "raw" ? [] : ["Its `command-arg-mode` is unknown; the tool is given the words as they were written."];
  return { tool, issues };
}

/** Tools as authors list them: a YAML or JSON list, or one text with commas or spaces, such as `Read, Bash(git:*)`. */
function toolList(text: string | undefined): readonly string[] | undefined {
  if (text === undefined || text.trim() === "") return undefined;
  const words =
    text
      .trim()
      .replace(/^\[|\]$/g, "")
      .match(/(?:\([^()]*\)|[^\s,()])+/g) ?? [];
  const tools = words.map((word) => word.replace(/^["']|["']$/g, "")).filter((word) => word !== "");
  return tools.length === 0 ? undefined : tools;
}
