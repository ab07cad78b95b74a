import type { WireFormat } from "../../src/models/ai-sdk.ts";
import { anthropicMessages } from "../../src/models/anthropic-messages.ts";
import { openaiCompletions } from "../../src/models/openai-completions.ts";
import { openaiResponses } from "../../src/models/openai-responses.ts";
import { type ModelFactory, modelContract, wireContract } from "../contracts/model.ts";

function at(format: WireFormat, modelId: string): ModelFactory {
  return (baseUrl) =>
    format({
      ref: `lab/${modelId}`,
      modelId,
      baseUrl,
      apiKey: "key",
      headers: {},
      contextWindow: 128_000,
      maxOutputTokens: 8_192,
      limitsOutput: false,
      fetch,
    });
}

const members: [string, ModelFactory][] = [
  ["openai-completions", at(openaiCompletions, "some-model")],
  ["openai-responses", at(openaiResponses, "gpt-5")],
  ["anthropic-messages", at(anthropicMessages, "claude-sonnet-4-5")],
];

for (const [name, make] of members) {
  modelContract(name, make);
  wireContract(name, make);
}
