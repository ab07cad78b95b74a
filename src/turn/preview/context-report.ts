import { tokensOf } from "../../agent/context-size.ts";
import type { AnyTool } from "../../agent/tool.ts";
import type { Message } from "../../models/message.ts";
import { sessionModel } from "../../services/model-lookup.ts";
import type { SkillsSource } from "../skills/session-skills.ts";
import type { TurnContext } from "../turn-context.ts";
import { type PromptPreview, previewTurn } from "./preview-turn.ts";

/** What the next request to a model would be made of. All tokens are estimated. */
export interface ContextReport extends PromptPreview {
  /** How many tokens the model takes. */
  window: number;
  /** What the model sees of the conversation. */
  messages: { count: number; tokens: number };
  /** Most characters of one workspace file, and of all of them. */
  limits: { fileChars: number; totalChars: number };
}

/** What a report is made from, besides the occasion. */
export interface ContextReportDeps {
  /** Tools of an owner's turn besides the built-in ones and those of plugins. */
  extraTools: readonly AnyTool[];
  skills: SkillsSource;
  /** What the model sees of the conversation. */
  messages: readonly Message[];
  /** Milliseconds since the epoch. */
  now: number;
}

/** Reports on the context by gathering and rendering it as a turn of that occasion would. Nothing is written. */
export async function contextReport(context: TurnContext, deps: ContextReportDeps): Promise<ContextReport> {
  const { agent, services, session } = context;
  const { messages } = deps;
  const model = services.model(sessionModel(session.settings, agent, services));
  const extraTools = [...services.plugins.tools, ...deps.extraTools];
  const { bootstrapMaxChars: fileChars, bootstrapTotalMaxChars: totalChars } = agent.defaults;
  return {
    ...(await previewTurn(context, { ...deps, model: model.ref, extraTools })),
    window: Math.min(model.contextWindow, agent.defaults.contextTokens),
    messages: { count: messages.length, tokens: tokensOf(messages) },
    limits: { fileChars, totalChars },
  };
}
