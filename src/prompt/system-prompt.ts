import type { SystemPrompt } from "../models/model.ts";
import { CACHE_BOUNDARY, withoutBoundary } from "./cache-boundary.ts";
import type { PromptInput, StableInput } from "./input.ts";
import { sanitizeInput } from "./sanitize-input.ts";
import type { AddedSections, Section } from "./section.ts";
import type { SectionSource } from "./section-source.ts";
import { agentsRefresh } from "./sections/agents-refresh.ts";
import { authorizedSenders } from "./sections/authorized-senders.ts";
import { control } from "./sections/control.ts";
import { dateTime } from "./sections/date-time.ts";
import { delegation } from "./sections/delegation.ts";
import { documentation } from "./sections/documentation.ts";
import { executionBias } from "./sections/execution-bias.ts";
import { extraContext } from "./sections/extra-context.ts";
import { heartbeats } from "./sections/heartbeats.ts";
import { identity } from "./sections/identity.ts";
import { interactionStyle } from "./sections/interaction-style.ts";
import { memoryRecall } from "./sections/memory-recall.ts";
import { messaging } from "./sections/messaging.ts";
import { modelAliases } from "./sections/model-aliases.ts";
import { outputDirectives } from "./sections/output-directives.ts";
import { projectContext } from "./sections/project-context.ts";
import { providerPrefix } from "./sections/provider-prefix.ts";
import { providerSuffix } from "./sections/provider-suffix.ts";
import { reactions } from "./sections/reactions.ts";
import { reasoningFormat } from "./sections/reasoning-format.ts";
import { runtime } from "./sections/runtime.ts";
import { safety } from "./sections/safety.ts";
import { sandbox } from "./sections/sandbox.ts";
import { selfUpdate } from "./sections/self-update.ts";
import { silentReplies } from "./sections/silent-replies.ts";
import { skills } from "./sections/skills.ts";
import { toolCallStyle } from "./sections/tool-call-style.ts";
import { tooling } from "./sections/tooling.ts";
import { truncationNotice } from "./sections/truncation-notice.ts";
import { voice } from "./sections/voice.ts";
import { workspace } from "./sections/workspace.ts";
import { workspaceFiles } from "./sections/workspace-files.ts";

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
  messaging,
  voice,
  extraContext,
  reactions,
  silentReplies,
  heartbeats,
  reasoningFormat,
  delegation,
  providerSuffix,
  runtime,
];

/** A system prompt and the sections that it is made of. */
export interface RenderedPrompt {
  system: SystemPrompt;
  /** The sections that are present, in order. A blank line between those of a layer makes its text. */
  sections: RenderedSection[];
  /** The texts of those that are not ours. */
  added: NamedText[];
}

export interface RenderedSection {
  name: string;
  layer: "stable" | "dynamic";
  text: string;
  /** Given where somebody put it there after the prompt was rendered. */
  source?: SectionSource;
}

const NONE_ADDED: AddedSections = { stable: [], dynamic: [] };

/**
 * Renders the system prompt. Pure: the same input gives the same bytes, and the input is not changed.
 * @param added sections of others
 */
export function renderSystemPrompt(input: PromptInput, added = NONE_ADDED): RenderedPrompt {
  const clean = sanitizeInput(input);
  const stable = renderSections([...STABLE_SECTIONS, ...added.stable], clean);
  const dynamic = renderSections([...DYNAMIC_SECTIONS.slice(0, -1), ...added.dynamic, runtime], clean);
  const theirs = new Set([...added.stable, ...added.dynamic].map(({ name }) => name));
  return {
    system: { stable: joined(stable), dynamic: joined(dynamic) },
    added: [...stable, ...dynamic].filter(({ name }) => theirs.has(name)),
    sections: [
      ...stable.map((section): RenderedSection => ({ ...section, layer: "stable" })),
      ...dynamic.map((section): RenderedSection => ({ ...section, layer: "dynamic" })),
    ],
  };
}

/** The prompt as one text, for people: its two layers with the boundary marker between them. */
export function promptText({ system: { stable, dynamic } }: Pick<RenderedPrompt, "system">): string {
  return dynamic === "" ? stable : `${stable}\n\n${CACHE_BOUNDARY}\n\n${dynamic}`;
}

/** A section that is present, by its name. */
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

function joined(sections: readonly NamedText[]): string {
  return sections.map((section) => section.text).join("\n\n");
}
