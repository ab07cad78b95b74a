import { digestOf } from "../../lib/digest.ts";
import { byteLength } from "../../lib/text.ts";
import { estimateTokens } from "../../lib/tokens.ts";
import type { SystemPrompt, ToolSchema } from "../../models/model.ts";
import type { PromptMode } from "../../prompt/input.ts";
import type { FileReport, PromptReport, SectionReport, TextSize } from "../../prompt/report.ts";
import { promptText } from "../../prompt/system-prompt.ts";

/** The parts of a model request besides the conversation. All tokens are estimated. */
export interface PromptView {
  agentId: string;
  sessionKey: string;
  mode: PromptMode;
  /** The model that it was rendered for, `provider/model`. */
  model: string;
  /** SHA-256 of `text`, and of its part above the boundary, in hex. */
  hash: string;
  stableHash: string;
  /** Both layers, with the cache boundary line between them, which is not sent to models. */
  text: string;
  sections: SectionReport[];
  files: FileReport[];
  tools: ToolCost[];
  totals: PromptTotals;
}

/** Its sizes. */
export interface PromptTotals {
  /** The system prompt without the boundary line. */
  prompt: TextSize;
  above: TextSize;
  below: TextSize;
  tools: { count: number; schemaBytes: number; tokens: number };
}

/** A tool as a model sees it, and the size of its description and schema. */
export interface ToolCost extends ToolSchema {
  /** Of the schema's JSON. */
  schemaBytes: number;
  tokens: number;
}

/** A prompt as it is shown to people. */
export async function promptView(
  of: Pick<PromptView, "agentId" | "sessionKey" | "mode" | "model">,
  system: SystemPrompt,
  { total: prompt, above, below, sections, files }: PromptReport,
  schemas: readonly ToolSchema[],
): Promise<PromptView> {
  const tools = schemas.map(toolCost);
  const text = promptText({ system });
  const ofTools = { count: tools.length, schemaBytes: sum(tools, "schemaBytes"), tokens: sum(tools, "tokens") };
  return {
    ...of,
    hash: await textHash(text),
    stableHash: await textHash(system.stable),
    text,
    sections,
    files,
    tools,
    totals: { prompt, above, below, tools: ofTools },
  };
}

/** The SHA-256 of a text's UTF-8, in hex. */
export function textHash(text: string): Promise<string> {
  return digestOf("SHA-256", new TextEncoder().encode(text));
}

function toolCost({ name, description, parameters }: ToolSchema): ToolCost {
  const json = JSON.stringify(parameters);
  const tokens = estimateTokens(`${name}\n${description}\n${json}`);
  return { name, schemaBytes: byteLength(json), tokens, description, parameters };
}

function sum(costs: readonly ToolCost[], field: "schemaBytes" | "tokens"): number {
  return costs.reduce((total, cost) => total + cost[field], 0);
}
