import { contextLimitsOf } from "../config/agents.ts";
import type { CoreConfig } from "../config/schema.ts";
import type { Message } from "../models/message.ts";
import { applyPromptHooks, type PromptTurn, type SentPrompt } from "../plugins/apply-prompt-hooks.ts";
import type { PromptHooks } from "../plugins/session-hooks.ts";
import type { PromptInput } from "../prompt/input.ts";
import { type RenderedPrompt, renderSystemPrompt } from "../prompt/system-prompt.ts";
import type { Services } from "../services/services.ts";
import { isSummary } from "../session-store/conversation-view.ts";
import type { BootstrapFiles } from "../workspace/bootstrap.ts";
import { makeExcerpt, truncate } from "../workspace/truncate.ts";
import { promptInput, type TurnFacts } from "./prompt-input.ts";
import type { TurnContext } from "./turn-context.ts";

/** A prompt as it is sent to a model, and the input that it was rendered from. */
export interface TurnPrompt extends SentPrompt {
  input: PromptInput;
}

/** The prompt for the first model, and for models that take over by failover. */
export interface LeadPrompt extends TurnPrompt {
  /** The prompt for another model, `provider/model`. Hooks do not run again. */
  of(model: string): TurnPrompt;
}

/** The facts that are known before the prompt is made. */
export interface PromptParts extends Omit<TurnFacts, "owners" | "now"> {
  messages: PromptTurn["messages"];
}

/**
 * Makes the system prompt of a turn. Live turns, `/context` and previews all use this function, so they get the same
 * bytes.
 */
export async function turnPrompt(
  context: TurnContext,
  { messages, ...facts }: PromptParts,
  hooks: PromptHooks,
): Promise<LeadPrompt> {
  const { services, agent, runId } = context;
  const owners = await services.ownersShown();
  const refresh = agentsRefresh(facts.files, messages, agent.id, services.config);
  const now = Date.now();
  const inputFor = (model: string): PromptInput => ({
    ...promptInput(context, { ...facts, messages, now, model, owners }),
    ...(refresh !== undefined && { agentsRefresh: refresh }),
  });
  const input = inputFor(facts.model);
  const rendered = rendering(input, facts.model, services);
  const moment = { model: facts.model, messages, ...(runId !== undefined && { runId }) };
  const { applyTo: alike, ...sent } = await applyPromptHooks(rendered, moment, hooks);
  const lead: TurnPrompt = { ...sent, input };
  const of = (model: string): TurnPrompt => {
    if (model === facts.model) return lead;
    const theirs = inputFor(model);
    return { ...alike(rendering(theirs, model, services)), input: theirs };
  };
  return { ...lead, of };
}

/** The prompt before hooks change it, with the plugins' sections. */
function rendering(input: PromptInput, model: string, { plugins }: Services): RenderedPrompt {
  const rendered = renderSystemPrompt(input, plugins.sections);
  const isThere = (section: string) => rendered.sections.some(({ name }) => name === section);
  const contributed = plugins.contributionFor(model).added.filter(({ name }) => isThere(name.replace(/^[^/]*\//, "")));
  return { ...rendered, added: [...rendered.added, ...contributed] };
}

/**
 * The key sections of AGENTS.md that the prompt repeats after a compaction, within
 * `contextLimits.postCompactionMaxChars`. They are needed only if AGENTS.md is truncated in the prompt: then what the
 * agent had read of the rest is lost with the compacted messages. Undefined if there is nothing to show.
 * @param messages called only if needed
 */
export function agentsRefresh(
  { keySections }: BootstrapFiles,
  messages: () => readonly Message[],
  agentId: string,
  config: Pick<CoreConfig, "agents">,
): string | undefined {
  if (keySections === undefined || !messages().some(isSummary)) return undefined;
  const max = contextLimitsOf(config, agentId).postCompactionMaxChars;
  return truncate(makeExcerpt(keySections, max), max, "AGENTS.md").content;
}
