import type { SystemPrompt } from "../models/model.ts";
import { sanitizeForPrompt, sanitizeLinesForPrompt } from "../security/sanitize.ts";
import type { PromptInput, StableInput } from "./input.ts";
import type { AddedSections, Section } from "./section.ts";
import type { SectionSource } from "./section-source.ts";
import { audience } from "./sections/audience.ts";
import {
  executionBias,
  identity,
  interactionStyle,
  providerPrefix,
  providerSuffix,
  safety,
  toolCallStyle,
} from "./sections/conduct.ts";
import { authorizedSenders, control, modelAliases, selfUpdate } from "./sections/control.ts";
import { dateTime, sandbox, today, workspace } from "./sections/environment.ts";
import { documentation, memoryRecall, skills } from "./sections/knowledge.ts";
import { messaging } from "./sections/messaging.ts";
import { outputDirectives, reactions, reasoningFormat, silentReplies, voice } from "./sections/replies.ts";
import { extraContext, groupContext, heartbeats, runtime } from "./sections/run.ts";
import { delegation, tooling } from "./sections/tooling.ts";
import { agentsRefresh, projectContext, truncationNotice, workspaceFiles } from "./sections/workspace-files.ts";

/** The sections above the cache boundary, in reading order. */
export const STABLE_SECTIONS: readonly Section<StableInput>[] = [
  identity,
  providerPrefix,
  tooling,
  toolCallStyle,
  executionBias,
  interactionStyle,
  safety,
  control,
  skills,
  memoryRecall,
  selfUpdate,
  modelAliases,
  workspace,
  documentation,
  sandbox,
  authorizedSenders,
  dateTime,
  outputDirectives,
  workspaceFiles,
  projectContext,
];

/** The sections below it, in reading order; `runtime` is always the last. */
export const DYNAMIC_SECTIONS: readonly Section[] = [
  truncationNotice,
  agentsRefresh,
  today,
  messaging,
  voice,
  audience,
  groupContext,
  extraContext,
  reactions,
  silentReplies,
  heartbeats,
  reasoningFormat,
  delegation,
  providerSuffix,
  runtime,
];

/** A system prompt and its sections. */
export interface RenderedPrompt {
  system: SystemPrompt;
  /** The sections that apply, in order; a layer's text joins them with blank lines. */
  sections: RenderedSection[];
  /** The texts of the plugins' sections. */
  added: NamedText[];
}

export interface RenderedSection {
  name: string;
  layer: "stable" | "dynamic";
  text: string;
  /** Set if a plugin changed or added it after rendering. */
  source?: SectionSource;
}

const NONE_ADDED: AddedSections = { stable: [], dynamic: [] };

/**
 * Renders the system prompt. Pure: the same input gives the same bytes, and the input is not changed.
 * @param added sections of plugins
 */
export function renderSystemPrompt(input: PromptInput, added = NONE_ADDED): RenderedPrompt {
  const clean = sanitizeInput(input);
  const stable = renderSections([...STABLE_SECTIONS, ...added.stable], clean);
  const dynamic = renderSections([...DYNAMIC_SECTIONS.slice(0, -1), ...added.dynamic, runtime], clean);
  const theirs = new Set([...added.stable, ...added.dynamic].map(({ name }) => name));
  return {
    system: { stable: joinSections(stable), dynamic: joinSections(dynamic) },
    added: [...stable, ...dynamic].filter(({ name }) => theirs.has(name)),
    sections: [
      ...stable.map((section): RenderedSection => ({ ...section, layer: "stable" })),
      ...dynamic.map((section): RenderedSection => ({ ...section, layer: "dynamic" })),
    ],
  };
}

/** The prompt as one text for people: both layers with the boundary marker between them. */
export function promptText({ system: { stable, dynamic } }: Pick<RenderedPrompt, "system">): string {
  return dynamic === "" ? stable : `${stable}\n\n${CACHE_BOUNDARY}\n\n${dynamic}`;
}

/** A rendered section. */
export interface NamedText {
  name: string;
  text: string;
}

function renderSections<Input extends StableInput>(sections: readonly Section<Input>[], input: Input): NamedText[] {
  return sections
    .filter((section) => section.modes.includes(input.mode))
    .flatMap((section) => {
      const text = section.render(input);
      return text === undefined ? [] : [{ name: section.name, text: withoutBoundary(text) }];
    });
}

function joinSections(sections: readonly NamedText[]): string {
  return sections.map((section) => section.text).join("\n\n");
}

/** The marker of the cache boundary in a prompt that is exported as one text; no model sees it. */
export const CACHE_BOUNDARY = "<!-- ISOPOD_CACHE_BOUNDARY -->";

const QUOTED = "<!-- ISOPOD_CACHE_BOUNDARY, as it stands in a text -->";

/** A text without the marker, so that content cannot fake a boundary. */
export function withoutBoundary(text: string): string {
  return text.includes(CACHE_BOUNDARY) ? text.replaceAll(CACHE_BOUNDARY, QUOTED) : text;
}

/**
 * The input for sections. By default every string, also of a field added later, is sanitized to one line. Named
 * exceptions: multi-line texts keep their line breaks, and file contents stay unchanged.
 */
export function sanitizeInput(input: PromptInput): PromptInput {
  const { bootstrapFiles, agentsRefresh, skillsPrompt, extraContext, groupPrompt, audience, provider, ...rest } = input;
  return {
    ...mapStrings(rest, sanitizeForPrompt),
    provider: mapStrings(provider, sanitizeLinesForPrompt),
    bootstrapFiles: bootstrapFiles.map((file) => ({ ...file, path: sanitizeForPrompt(file.path) })),
    ...(agentsRefresh !== undefined && { agentsRefresh }),
    ...(skillsPrompt !== undefined && { skillsPrompt: sanitizeLinesForPrompt(skillsPrompt) }),
    ...(groupPrompt !== undefined && { groupPrompt: sanitizeLinesForPrompt(groupPrompt) }),
    ...(audience && { audience: mapStrings(audience, sanitizeLinesForPrompt) }),
    ...(extraContext !== undefined && { extraContext: sanitizeLinesForPrompt(extraContext) }),
  };
}

/** A copy of plain data with every string changed. */
function mapStrings<T>(data: T, change: (text: string) => string): T;
function mapStrings(data: unknown, change: (text: string) => string): unknown {
  if (typeof data === "string") return change(data);
  if (Array.isArray(data)) return data.map((item) => mapStrings(item, change));
  if (typeof data !== "object" || data === null) return data;
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, mapStrings(value, change)]));
}
