import type { PromptInput, ReplaceableSection } from "./input.ts";

/** Where the text of a section comes from. */
export interface SectionSource {
  /**
   * `section`: our own file; `provider`: a contribution for a model family; `configuration`: the value of a field;
   * `workspace`: files of the agent; `skills`: the front matter of its skills; `run`: the caller that began the turn;
   * `plugin`: a plugin.
   */
  kind: "section" | "provider" | "configuration" | "workspace" | "skills" | "run" | "plugin";
  /** The file's path in the repository, the contribution, the field's path, the files, or the plugin. */
  name: string;
}

const REPLACEABLE: Readonly<Record<string, ReplaceableSection>> = {
  "tool-call-style": "tool_call_style",
  "execution-bias": "execution_bias",
  "interaction-style": "interaction_style",
};

/** The sections that show the value of a configuration field. */
const FIELDS: Readonly<Record<string, string>> = {
  "model-aliases": "agents.defaults.models",
  "authorized-senders": "commands.ownerAllowFrom",
  "date-time": "agents.defaults.userTimezone",
  voice: "messages.tts.hint",
};

/** The source of a section, by its name and the input that it was rendered from. */
export function sectionSource(section: string, { provider, bootstrapFiles }: PromptInput): SectionSource {
  const [plugin = "", ...rest] = section.split("/");
  if (rest.length > 0) return { kind: "plugin", name: plugin };
  const replaces = REPLACEABLE[section];
  const isContributed = replaces !== undefined && provider.replace?.[replaces] !== undefined;
  if (isContributed || section === "provider-prefix" || section === "provider-suffix") {
    return { kind: "provider", name: provider.name ?? "provider" };
  }
  if (section === "project-context") {
    return { kind: "workspace", name: bootstrapFiles.map(({ path }) => path).join(", ") };
  }
  if (section === "skills") return { kind: "skills", name: "SKILL.md" };
  if (section === "agents-refresh") return { kind: "workspace", name: "AGENTS.md" };
  if (section === "group-context")
    return { kind: "configuration", name: "channels.<id>.accounts.<id>.groups.<id>.prompt" };
  if (section === "extra-context") return { kind: "run", name: "extraContext" };
  const field = FIELDS[section];
  return field === undefined ? { kind: "section", name: sectionPath(section) } : { kind: "configuration", name: field };
}

/** The files of `sections/` with the names of the sections in each. */
const SECTION_FILES: Readonly<Record<string, readonly string[]>> = {
  conduct: ["identity", "tool-call-style", "execution-bias", "interaction-style", "safety"],
  control: ["control", "self-update"],
  audience: ["audience"],
  environment: ["workspace", "sandbox", "today"],
  knowledge: ["memory-recall", "documentation"],
  messaging: ["messaging"],
  replies: ["output-directives", "reactions", "silent-replies", "reasoning-format"],
  run: ["heartbeats", "runtime"],
  tooling: ["tooling", "delegation"],
  "workspace-files": ["workspace-files", "truncation-notice"],
};

function sectionPath(section: string): string {
  const file = Object.keys(SECTION_FILES).find((name) => SECTION_FILES[name]?.includes(section));
  return `src/prompt/sections/${file ?? section}.ts`;
}
