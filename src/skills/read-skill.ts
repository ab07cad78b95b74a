import { type BrokenFrontMatter, readFrontMatter } from "./front-matter.ts";
import { parseMetadata, trimmed } from "./metadata.ts";
import type { SkillInvocation, SkillMetadata } from "./skill.ts";

/** The parsed text of a SKILL.md, before it is known whether it is a usable skill. */
export interface SkillReading {
  kind: "read";
  name: string | undefined;
  description: string | undefined;
  /** Undefined if it has no part for us. */
  metadata: SkillMetadata | undefined;
  invocation: SkillInvocation;
  homepage: string | undefined;
  license: string | undefined;
  compatibility: string | undefined;
  allowedTools: readonly string[] | undefined;
  /** Whether it has front matter. */
  hasFrontMatter: boolean;
  /** The text after the front matter. */
  body: string;
  /** Sentences about what was ignored or repaired. */
  issues: readonly string[];
}

const YES = ["true", "1", "yes", "on"];
const NO = ["false", "0", "no", "off"];

/** Parses the text of a SKILL.md as OpenClaw 2026.9.6 does. Never throws. */
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

/** Reads a boolean field; an unknown word counts as absent. */
function booleanField(value: string | undefined, standard: boolean): boolean {
  const word = value?.trim().toLowerCase() ?? "";
  return YES.includes(word) || (standard && !NO.includes(word));
}

/** The tool that the skill's command is dispatched to, with the arguments as typed. */
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

/** Reads a list of tools: a YAML or JSON list, or one string with commas or spaces, such as `Read, Bash(git:*)`. */
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
