import type { SystemPrompt } from "../models/model.ts";
import type { RenderedPrompt, RenderedSection } from "../prompt/system-prompt.ts";
import { type AuditLine, changeLine } from "../security/audit-entry.ts";
import { type BootstrapFile, type BootstrapLimits, withinLimits } from "../workspace/bootstrap.ts";
import { showControls } from "../workspace/decode-text.ts";
import type { BootstrapChange, PromptChange, PromptEvent } from "./hook-map.ts";
import { asBootstrapFile } from "./hook-merge.ts";
import type { PromptHooks } from "./session-hooks.ts";

/** A system prompt as it is sent; the sections of a layer are joined with blank lines. */
export type SentPrompt = Omit<RenderedPrompt, "added">;

/** The turn of a prompt, as hooks see it. */
export interface PromptTurn extends Pick<PromptEvent, "model"> {
  /** The conversation as the model will see it, oldest first. */
  messages(): PromptEvent["messages"];
  /** Absent if no run has begun. */
  runId?: string;
}

/**
 * Applies plugins' prompt hooks. Each change is on the audit trail before a model sees it. Additions go above the
 * dynamic part, so that the stable part stays cached.
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

/** A prompt after the hooks; `applyTo` makes the same changes to another prompt of the same turn. */
export interface PluginPrompt extends SentPrompt {
  applyTo(other: RenderedPrompt): SentPrompt;
}

interface ChangedPrompt {
  prompt: SentPrompt;
  /** Makes the same changes to another prompt. */
  applyTo(other: SentPrompt): SentPrompt;
  lines: AuditLine[];
}

/** One plugin's answer. */
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

/** Applies merged changes to a prompt. Pure. */
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

/** A plugin's text in place of the whole prompt. */
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

/** One audit line per text of a plugin, against the text before it. */
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

/** Most workspace files in a prompt. */
const MAX_FILES = 50;

/**
 * Applies plugins' hooks to the bootstrap files and cuts the result to the limits; an unchanged file stays the same
 * object. Each added, changed or removed file is on the audit trail.
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
