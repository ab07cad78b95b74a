import { tokensOf } from "../../agent/context-size.ts";
import type { AnyTool } from "../../agent/tool.ts";
import type { Message } from "../../models/message.ts";
import { sessionModel } from "../../services/model-lookup.ts";
import { agentIn, type Wiring } from "../../services/services.ts";
import type { SkillsSource } from "../skills/session-skills.ts";
import type { Occasion } from "../turn-context.ts";
import { lookAtPrompt, type PromptLook } from "./preview-turn.ts";

/** What the next request to a model would be made of. All tokens are estimated. */
export interface ContextReport extends PromptLook {
  /** How many tokens the model takes. */
  window: number;
  /** What the model sees of the conversation. */
  messages: { count: number; tokens: number };
  /** Most characters of one workspace file, and of all of them. */
  limits: { fileChars: number; totalChars: number };
}

/** What a report is made from, besides the occasion. */
export interface ReportRoom {
  agentId: string;
  wiring: Wiring;
  /** Tools of an owner's turn besides the built-in ones and those of plugins. */
  extraTools: readonly AnyTool[];
  skills: SkillsSource;
  /** What the model sees of the conversation. */
  messages: readonly Message[];
  /** Milliseconds since the epoch. */
  now: number;
}

/** Reports on the context by gathering and rendering it as a turn of that occasion would. Nothing is written. */
export async function contextReport(occasion: Occasion, room: ReportRoom): Promise<ContextReport> {
  const { agentId, wiring, messages } = room;
  const agent = agentIn(wiring, agentId);
  const model = wiring.model(sessionModel(occasion.session.settings, agent, wiring));
  const extraTools = [...wiring.plugins.tools, ...room.extraTools];
  const { bootstrapMaxChars: fileChars, bootstrapTotalMaxChars: totalChars } = agent.defaults;
  return {
    ...(await lookAtPrompt(occasion, { ...room, model: model.ref, extraTools })),
    window: Math.min(model.contextWindow, agent.defaults.contextTokens),
    messages: { count: messages.length, tokens: tokensOf(messages) },
    limits: { fileChars, totalChars },
  };
}
