import type { SystemPrompt } from "../models/model.ts";
import type { RenderedPrompt, RenderedSection } from "../prompt/system-prompt.ts";
import { type AuditLine, changeLine } from "../security/audit-entry.ts";
import { type BootstrapFile, type BootstrapLimits, withinLimits } from "../workspace/bootstrap.ts";
import { showControls } from "../workspace/decode-text.ts";
import type { BootstrapChange, PromptChange, PromptEvent } from "./hook-map.ts";
import { asBootstrapFile } from "./hook-merge.ts";
import type { PromptHooks } from "./session-hooks.ts";

/** A system prompt as a model is sent it: a blank line between the sections of a layer makes its text. */
export type SentPrompt = Omit<RenderedPrompt, "added">;

/** The turn that a prompt is for, as plugins are told of it. */
export interface PromptTurn extends Pick<PromptEvent, "model"> {
  /** What the model will see of the conversation, oldest first. */
  messages(): PromptEvent["messages"];
  /** Absent where no run has begun. */
  runId?: string;
}

/**
 * The system prompt of a turn once plugins have spoken, each change of which is on the audit trail before a model sees
 * it. What they add stands above the part that changes from turn to turn, so that what is above it stays cached.
 */
export async function applyPromptHooks(
  { added, ...prompt }: RenderedPrompt,
  moment: PromptTurn,
  hooks: PromptHooks,
): Promise<PluginPrompt> {
  const lines = await Promise.all(added.map(({ name, text }) => sectionAuditLine(name, text, moment)));
  const built = await changed("before_prompt_build", prompt, moment, hooks);
  const started = await changed("before_agent_start", built.prompt, moment, hooks);
  hooks.audit.write([...lines, ...built.lines, ...started.lines]);
  return { ...started.prompt, applyTo: (other) => started.applyTo(built.applyTo(other)) };
}

/** A prompt once plugins have spoken, and what becomes by their words of another one for the same turn. */
export interface PluginPrompt extends SentPrompt {
  applyTo(other: RenderedPrompt): SentPrompt;
}

interface ChangedPrompt {
  prompt: SentPrompt;
  /** Changes another prompt in the same way. */
  applyTo(other: SentPrompt): SentPrompt;
  lines: AuditLine[];
}

/** What one plugin has said of a prompt. */
interface PromptAnswer {
  by: string;
  answer: PromptChange;
}

async function changed(
  event: "before_prompt_build" | "before_agent_start",
  prompt: SentPrompt,
  moment: PromptTurn,
  hooks: PromptHooks,
): Promise<ChangedPrompt> {
  if (!hooks.has(event)) return { prompt, applyTo: (other) => other, lines: [] };
  const { model, messages, runId } = moment;
  const { system } = prompt;
  const { merged = {}, answers } = await hooks.run(event, { system, model, messages: messages() }, runId);
  const again = (other: SentPrompt) => applied(other, merged, answers);
  return { prompt: again(prompt), applyTo: again, lines: await promptAuditLines(system, answers, moment) };
}

/** A prompt with a change of plugins. Pure. */
function applied(
  prompt: SentPrompt,
  { systemPrompt, prependContext }: PromptChange,
  by: readonly PromptAnswer[],
): SentPrompt {
  const replaced = systemPrompt === undefined ? prompt : replacement(systemPrompt, whoSaid(by, "systemPrompt").at(-1));
  if (prependContext === undefined || prependContext === "") return replaced;
  const name = whoSaid(by, "prependContext").join(", ");
  const section = { name: "prepend-context", text: prependContext, source: { kind: "plugin", name } } as const;
  const { stable, dynamic } = replaced.system;
  return {
    system: { stable, dynamic: dynamic === "" ? prependContext : `${prependContext}\n\n${dynamic}` },
    sections: [
      ...replaced.sections.filter(({ layer }) => layer === "stable"),
      { ...section, layer: "dynamic" },
      ...replaced.sections.filter(({ layer }) => layer === "dynamic"),
    ],
  };
}

/** A text of a plugin's in place of everything. */
function replacement(text: string, plugin = ""): SentPrompt {
  const system: SystemPrompt = { stable: text, dynamic: "" };
  const section: RenderedSection = {
    name: "system-prompt",
    layer: "stable",
    text,
    source: { kind: "plugin", name: plugin },
  };
  return { system, sections: [section] };
}

function whoSaid(answers: readonly PromptAnswer[], field: keyof PromptChange): string[] {
  return answers.flatMap(({ by, answer }) => (answer[field] === undefined ? [] : [by]));
}

/** One line for each text that a plugin gave, against what was there before it. */
async function promptAuditLines(
  system: SystemPrompt,
  answers: readonly PromptAnswer[],
  { runId }: PromptTurn,
): Promise<AuditLine[]> {
  const lines: AuditLine[] = [];
  let whole = `${system.stable}\n\n${system.dynamic}`;
  let context = "";
  for (const { by, answer } of answers) {
    const { systemPrompt, prependContext } = answer;
    const line = (subject: string) => promptAuditLine(by, subject, runId);
    if (systemPrompt !== undefined) {
      lines.push(await changeLine(line("systemPrompt"), whole, systemPrompt));
      whole = systemPrompt;
    }
    if (prependContext !== undefined && prependContext !== "") {
      const after = context === "" ? prependContext : `${context}\n\n${prependContext}`;
      lines.push(await changeLine(line("prependContext"), context, after));
      context = after;
    }
  }
  return lines;
}

function sectionAuditLine(name: string, text: string, { runId }: PromptTurn): Promise<AuditLine> {
  const [by = name] = name.split("/");
  return changeLine(promptAuditLine(by, `section ${name}`, runId), "", text);
}

function promptAuditLine(by: string, subject: string, runId: string | undefined): AuditLine {
  return { kind: "prompt", ...(runId !== undefined && { runId }), by, subject };
}

/** Most files that a prompt shows. */
const MAX_FILES = 50;

/**
 * The workspace files that the prompt shows once plugins have spoken, cut to the limits; one that nobody touched is the
 * same object. Each that was added, changed or left out is on the audit trail.
 */
export async function applyFileHooks(
  files: readonly BootstrapFile[],
  limits: BootstrapLimits,
  hooks: PromptHooks,
  runId?: string,
): Promise<readonly BootstrapFile[]> {
  if (!hooks.has("agent:bootstrap")) return files;
  const { event, answers } = await hooks.run("agent:bootstrap", { files }, runId);
  if (answers.length === 0) return files;
  hooks.audit.write(await bootstrapAuditLines(files, answers, runId));
  return within(event.files, files, limits);
}

/**
 * The files as far as they fit, in their order. Those that are not `known` are a plugin's: their control characters are
 * shown as pictures, as those of a file are.
 */
export function within(
  files: readonly BootstrapFile[],
  known: readonly BootstrapFile[],
  limits: BootstrapLimits,
): BootstrapFile[] {
  const shown = files.slice(0, MAX_FILES).map((file) => (known.includes(file) ? file : measured(file)));
  return withinLimits(shown, limits);
}

function measured(file: BootstrapFile): BootstrapFile {
  const content = showControls(file.content);
  const { length } = content;
  return { ...file, content, rawChars: file.truncated ? file.rawChars : length, injectedChars: length };
}

async function bootstrapAuditLines(
  files: readonly BootstrapFile[],
  answers: readonly { by: string; answer: BootstrapChange }[],
  runId: string | undefined,
): Promise<AuditLine[]> {
  const lines: Promise<AuditLine>[] = [];
  let before = contentByPath(files);
  for (const { by, answer } of answers) {
    const after = contentByPath(answer.files.map(asBootstrapFile));
    for (const path of new Set([...before.keys(), ...after.keys()])) {
      const [was = "", is = ""] = [before.get(path), after.get(path)];
      if (was !== is)
        lines.push(
          changeLine({ kind: "prompt", ...(runId !== undefined && { runId }), by, subject: `file ${path}` }, was, is),
        );
    }
    before = after;
  }
  return Promise.all(lines);
}

function contentByPath(files: readonly BootstrapFile[]): Map<string, string> {
  return new Map(files.map(({ path, content }) => [path, content]));
}
