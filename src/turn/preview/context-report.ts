import { messagesTokens } from "../../agent/context-size.ts";
import type { AnyTool } from "../../agent/tool.ts";
import type { Message } from "../../models/message.ts";
import { sessionModel } from "../../services/model-lookup.ts";
import type { SkillsSource } from "../skills/session-skills.ts";
import type { TurnContext } from "../turn-context.ts";
import { type PromptPreview, previewTurn } from "./preview-turn.ts";

/** The parts of the next model request. All tokens are estimated. */
export interface ContextReport extends PromptPreview {
  /** The model's context window, in tokens. */
  window: number;
  /** What the model sees of the conversation. */
  messages: { count: number; tokens: number };
  /** Most characters of one workspace file, and of all of them. */
  limits: { fileChars: number; totalChars: number };
}

/** Dependencies of a report, besides the context. */
export interface ContextReportDeps {
  /** Tools of an owner's turn besides the built-in ones and those of plugins. */
  extraTools: readonly AnyTool[];
  skills: SkillsSource;
  /** What the model sees of the conversation. */
  messages: readonly Message[];
  /** Milliseconds since the epoch. */
  now: number;
}

/** Reports on a context by gathering and rendering it as a live turn would. Nothing is written. */
export async function contextReport(context: TurnContext, deps: ContextReportDeps): Promise<ContextReport> {
  const { agent, services, session } = context;
  const { messages } = deps;
  const model = services.model(sessionModel(session.settings, agent, services));
  const extraTools = [...services.plugins.tools, ...deps.extraTools];
  const { bootstrapMaxChars: fileChars, bootstrapTotalMaxChars: totalChars } = agent.defaults;
  return {
    ...(await previewTurn(context, { ...deps, model: model.ref, extraTools })),
    window: Math.min(model.contextWindow, agent.defaults.contextTokens),
    messages: { count: messages.length, tokens: messagesTokens(messages, model) },
    limits: { fileChars, totalChars },
  };
}
