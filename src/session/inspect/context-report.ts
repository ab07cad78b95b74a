import { tokensOf } from "../../agent/context-size.ts";
import { toolSchema } from "../../agent/tool-schema.ts";
import { reportPrompt } from "../../prompt/report.ts";
import { ReadEtags } from "../../tools/read-etags.ts";
import type { SessionRow } from "../store/session-row.ts";
import type { Store } from "../store/store.ts";
import { readView } from "../transcript/context.ts";
import { sessionModel } from "../turn/model-choice.ts";
import type { Occasion } from "../turn/occasion.ts";
import { gatherFiles } from "../turn/turn-files.ts";
import { turnPrompt } from "../turn/turn-prompt.ts";
import type { PromptRoom } from "../turn/turn-room.ts";
import { turnTools } from "../turn/turn-tools.ts";
import { agentIn } from "../wiring.ts";
import { untold } from "./preview-hooks.ts";
import { type PromptView, promptView } from "./prompt-view.ts";

/** What the next request to a model would be made of. All tokens are estimated. */
export interface ContextReport extends PromptView {
  /** How many tokens the model takes. */
  window: number;
  /** What the model sees of the conversation. */
  messages: { count: number; tokens: number };
  /** Most characters of one workspace file, and of all of them. */
  limits: { fileChars: number; totalChars: number };
}

/** Reports on the context by gathering and rendering it as a turn of that occasion would. Costs what a turn's start does. */
export async function contextReport(
  occasion: Occasion,
  owner: SessionRow,
  store: Store,
  room: PromptRoom,
): Promise<ContextReport> {
  const { wiring } = room;
  const agent = agentIn(wiring, owner.agentId);
  const workspace = wiring.workspaceOf(agent);
  const model = wiring.model(sessionModel(owner.settings, agent, wiring));
  const tools = turnTools(occasion, room, workspace);
  // Whoever looks at this is not the agent: it has read none of these files, and no model sees what plugins change.
  const looking = { ...room, readEtags: new ReadEtags(), hooks: untold(room.hooks) };
  const files = await gatherFiles(occasion, agent, workspace, looking);
  const { messages } = readView(store, owner);
  const parts = { agent, tools, files, model: model.ref, messages: () => messages };
  const prompt = await turnPrompt(occasion, parts, looking);
  const of = { agentId: agent.id, sessionKey: owner.key, mode: occasion.mode, model: model.ref };
  return {
    ...(await promptView(of, prompt.system, reportPrompt(prompt, prompt.input), tools.map(toolSchema))),
    window: Math.min(model.contextWindow, agent.defaults.contextTokens),
    messages: { count: messages.length, tokens: tokensOf(messages) },
    limits: { fileChars: agent.defaults.bootstrapMaxChars, totalChars: agent.defaults.bootstrapTotalMaxChars },
  };
}
