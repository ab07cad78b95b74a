import type { SectionSource } from "../prompt/section-source.ts";
import type { SkillsReport } from "../services/skills/turn-skills.ts";
import { tokenText } from "../turn/output/amount-text.ts";
import type { ContextReport } from "../turn/preview/context-report.ts";
import type { Review } from "../workspace/acceptance.ts";
import type { QueuedCommand } from "./command.ts";

/** `/context [list | detail]`: the parts of the next request to the model, with their sizes. */
export const context: QueuedCommand = {
  kind: "queued",
  name: "context",
  summary: "Show what fills the model's context",
  usage: "/context [list | detail]",
  async run(args, { contextReport, reviewFiles }) {
    const word = args.toLowerCase();
    if (word !== "" && word !== "list" && word !== "detail") return `Use \`${context.usage}\`.`;
    const [report, review] = await Promise.all([contextReport(), reviewFiles()]);
    const rest = word === "detail" ? details(report) : [];
    return [...overview(report), ...fileLines(report), ...changesIn(review), ...rest].join("\n");
  },
};

/** Most omitted skills, and most notes on skills, in the answer. */
const MAX_NAMED = 5;
const MAX_NOTES = 20;

/** How the answer names the source of a section that is not Isopod's own. */
const FROM: Record<Exclude<SectionSource["kind"], "section">, string> = {
  provider: "specific to",
  configuration: "from",
  workspace: "from",
  skills: "from each",
  run: "from the run's",
  plugin: "from the plugin",
};

function overview({ model, window, totals, sections, skills, messages }: ContextReport): string[] {
  const { prompt, above, below, tools } = totals;
  const all = prompt.tokens + tools.tokens + messages.tokens;
  const share = Math.round((100 * all) / window);
  return [
    `About ${tokenText(all)} of ${tokenText(window)} tokens (${share} %) of \`${model}\`:`,
    `- System prompt: ${tokenText(prompt.tokens)} tokens, ${prompt.chars} characters (${tokenText(above.tokens)} stable, ${tokenText(below.tokens)} changing)`,
    ...sections.filter(({ name }) => name === "skills").map((section) => skillsLine(section, skills)),
    `- Tools: ${tokenText(tools.tokens)} tokens for ${tools.count}, their schemas ${tools.schemaBytes} bytes`,
    `- Conversation: ${tokenText(messages.tokens)} tokens in ${messages.count} messages`,
  ];
}

function skillsLine({ tokens, chars }: ContextReport["sections"][number], { listed, cut }: SkillsReport): string {
  const names = cut.slice(0, MAX_NAMED).map(({ name }) => name);
  const more = cut.length > names.length ? ` and ${cut.length - names.length} more` : "";
  const without = cut.length === 0 ? "" : `; ${cut.length} omitted for lack of space: ${names.join(", ")}${more}`;
  return `- Skills, part of the prompt: ${listed} listed, ${tokenText(tokens)} tokens, ${chars} characters${without}`;
}

function fileLines({ files, limits, seeded, warnings }: ContextReport): string[] {
  const faults = warnings.length === 0 ? [] : ["", "Problems:", ...warnings.map((text) => `- ${text}`)];
  if (files.length === 0) return ["", "The prompt has no workspace files.", ...faults];
  const { fileChars, totalChars } = limits;
  const lines = files.map(({ path, missing, note, truncated, rawChars, injectedChars, tokens }) => {
    if (missing) return `- ${path}: missing`;
    if (note !== undefined) return `- ${note.replace(/^\(|\)$/g, "")}`;
    const size = truncated ? `${injectedChars} of ${rawChars} characters, cut` : `${rawChars} characters`;
    return `- ${path}: ${size}, ${tokenText(tokens)} tokens`;
  });
  const raw = files.reduce((sum, file) => sum + file.rawChars, 0);
  const injected = files.reduce((sum, file) => sum + file.injectedChars, 0);
  return [
    "",
    `Workspace files in the prompt, at most ${fileChars} characters each and ${totalChars} in total:`,
    ...lines,
    `- Total: ${injected} characters in the prompt, ${raw} in the workspace`,
    ...(seeded ? [] : ["The workspace is new: the first turn creates these files."]),
    ...faults,
  ];
}

/** Files that differ from the accepted versions; nothing if none was ever accepted. */
function changesIn({ hasAccepted, files }: Review): string[] {
  const changed = files.filter(({ state }) => state !== "accepted");
  if (!hasAccepted || changed.length === 0) return [];
  return ["", "Changed since you accepted them:", ...changed.map(({ path, state }) => `- ${path}: ${state}`)];
}

function details({ sections, skills, tools }: ContextReport): string[] {
  const parts = sections.map(({ name, layer, chars, tokens, source }) => {
    const from = source.kind === "section" ? "" : `, ${FROM[source.kind]} ${source.name}`;
    return `- ${name}: ${tokenText(tokens)} tokens, ${chars} characters${layer === "below" ? ", changes" : ""}${from}`;
  });
  const costs = tools
    .toSorted((a, b) => b.tokens - a.tokens)
    .map(({ name, schemaBytes, tokens }) => `- ${name}: ${tokenText(tokens)} tokens, schema ${schemaBytes} bytes`);
  const { notes } = skills;
  const aboutSkills =
    notes.length === 0 ? [] : ["", "Notes on skills:", ...notes.slice(0, MAX_NOTES).map((note) => `- ${note}`)];
  return ["", "Sections of the system prompt:", ...parts, ...aboutSkills, "", "Tools:", ...costs];
}

/** Longest focus, in characters. */
const MAX_FOCUS_CHARS = 2000;

/** `/compact [focus]`: summarizes the older part of the conversation now. */
export const compact: QueuedCommand = {
  kind: "queued",
  name: "compact",
  summary: "Summarize the older part of the conversation",
  usage: "/compact [what matters most]",
  async run(args, port) {
    const outcome = await port.compact(args.slice(0, MAX_FOCUS_CHARS));
    switch (outcome.kind) {
      case "done":
        return `Summarized: about ${tokens(outcome.tokensBefore)} before, ${tokens(outcome.tokensAfter)} now. The history is kept.`;
      case "nothing":
        return "There is nothing to summarize yet: the conversation is short.";
      case "failed":
        return `The conversation could not be summarized and is unchanged: ${outcome.why}`;
    }
  },
};

function tokens(count: number): string {
  return `${Math.round(count).toLocaleString("en-US")} tokens`;
}
