import { tokensOf } from "../../agent/context-size.ts";
import { toolSchema } from "../../agent/tool-schema.ts";
import { byteLength } from "../../lib/text.ts";
import { estimateTokens } from "../../lib/tokens.ts";
import { type PromptReport, reportPrompt } from "../../prompt/report.ts";
import { renderSystemPrompt } from "../../prompt/system-prompt.ts";
import { ReadEtags } from "../../tools/read-etags.ts";
import type { ActiveRun } from "../engine.ts";
import type { Store } from "../store/store.ts";
import { readView } from "../transcript/context.ts";
import { agentIn } from "../wiring.ts";
import { sessionModel } from "./model-choice.ts";
import { promptInput } from "./prompt-input.ts";
import { gatherFiles } from "./turn-files.ts";
import type { PromptRoom } from "./turn-room.ts";
import { turnTools } from "./turn-tools.ts";

/** What the next request to a model would be made of. All tokens are estimated. */
export interface ContextReport {
  /** `provider/model`, and how many tokens it takes. */
  model: string;
  window: number;
  /** The system prompt, without what plugins change in it once it is rendered. */
  prompt: PromptReport;
  tools: ToolCost[];
  /** What the model sees of the conversation. */
  messages: { count: number; tokens: number };
  /** Most characters of one workspace file, and of all of them. */
  limits: { fileChars: number; totalChars: number };
}

/** What it costs to tell a model of a tool: its description and the schema of its arguments. */
export interface ToolCost {
  name: string;
  /** Of the schema's JSON. */
  schemaBytes: number;
  tokens: number;
}

/** Reports on the context by gathering and rendering it as a turn of the same speaker would. Costs what a turn's start does. */
export async function contextReport(run: ActiveRun, store: Store, room: PromptRoom): Promise<ContextReport> {
  const { owner, wiring } = room;
  const agent = agentIn(wiring, owner.agentId);
  const workspace = wiring.workspaceOf(agent);
  const model = wiring.model(sessionModel(owner.settings, agent, wiring));
  const tools = turnTools(run, room, agent, workspace);
  // Whoever looks at this is not the agent: it has read none of these files.
  const files = await gatherFiles(agent, workspace, run, { ...room, readEtags: new ReadEtags() });
  const owners = await wiring.ownersShown();
  const facts = promptInput(run, room, { agent, tools, files, owners, model: model.ref });
  const { messages } = readView(store, owner);
  return {
    model: model.ref,
    window: Math.min(model.contextWindow, agent.defaults.contextTokens),
    prompt: reportPrompt(renderSystemPrompt(facts, wiring.plugins.sections), files),
    tools: tools.map(toolSchema).map((schema) => {
      const parameters = JSON.stringify(schema.parameters);
      const tokens = estimateTokens(`${schema.name}\n${schema.description}\n${parameters}`);
      return { name: schema.name, schemaBytes: byteLength(parameters), tokens };
    }),
    messages: { count: messages.length, tokens: tokensOf(messages) },
    limits: { fileChars: agent.defaults.bootstrapMaxChars, totalChars: agent.defaults.bootstrapTotalMaxChars },
  };
}
