import { SELF } from "cloudflare:test";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { embedMany, generateText, Output, stepCountIs, streamText, tool } from "ai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { asked, script } from "./client.ts";

/** The AI SDK as a client of the Worker under test. */
function isopod(scenario: string) {
  return createOpenAICompatible({
    name: "isopod",
    baseURL: "https://isopod.test/v1",
    apiKey: "test-token",
    headers: { "x-isopod-model": `fake/${scenario}` },
    supportsStructuredOutputs: true,
    fetch: (input, init) => SELF.fetch(input as string, init as RequestInit),
  });
}

const tools = {
  get_weather: tool({
    description: "The weather now.",
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => `20 degrees in ${city}`,
  }),
};

function weather(city: string) {
  return { name: "get_weather", args: { city }, id: `call_${city}` };
}

describe("the AI SDK", () => {
  test("runs its tools over several steps and gives the final text", async () => {
    await script("sdk-steps", [
      { calls: [weather("Paris"), weather("Rome")] },
      { text: "And the third.", calls: [weather("Oslo")] },
      { text: "All have 20 degrees." },
    ]);
    const { text, steps } = await generateText({
      model: isopod("sdk-steps")("isopod/main"),
      prompt: "How is the weather in three cities?",
      tools,
      stopWhen: stepCountIs(5),
    });
    expect(text).toBe("All have 20 degrees.");
    expect(steps.map(({ toolCalls }) => toolCalls.length)).toEqual([2, 1, 0]);
    const sent = (await asked("sdk-steps"))[2]!.body.messages;
    expect(sent.map(({ role }: any) => role).slice(1)).toEqual([
      "user",
      "assistant",
      "tool",
      "tool",
      "assistant",
      "tool",
    ]);
    expect(sent.at(-1).content).toBe("20 degrees in Oslo");
  });

  test("streams a tool's call and the text after its result", async () => {
    await script("sdk-stream", [{ calls: [weather("Paris")] }, { text: "20 degrees.", chunkSize: 3 }]);
    const { fullStream } = streamText({
      model: isopod("sdk-stream")("isopod/main"),
      prompt: "How is Paris?",
      tools,
      stopWhen: stepCountIs(3),
    });
    const parts: string[] = [];
    let text = "";
    for await (const part of fullStream) {
      if (parts.at(-1) !== part.type) parts.push(part.type);
      if (part.type === "text-delta") text += part.text;
    }
    expect(text).toBe("20 degrees.");
    expect(parts.filter((type) => ["tool-call", "tool-result", "text-delta", "error"].includes(type))).toEqual([
      "tool-call",
      "tool-result",
      "text-delta",
    ]);
  });

  test("gets an object that matches its schema", async () => {
    await script("sdk-object", [{ text: "Sure!" }, { text: '{"city":"Paris","degrees":20}' }]);
    const { output } = await generateText({
      model: isopod("sdk-object")("isopod/main"),
      prompt: "How is Paris?",
      output: Output.object({ schema: z.object({ city: z.string(), degrees: z.int() }) }),
    });
    expect(output).toEqual({ city: "Paris", degrees: 20 });
  });

  test("gets embeddings", async () => {
    const model = isopod("sdk-embed").embeddingModel("isopod");
    const { embeddings } = await embedMany({ model, values: ["A cat sleeps.", "A dog barks."] });
    expect(embeddings.map((vector) => Math.hypot(...vector).toFixed(3))).toEqual(["1.000", "1.000"]);
  });
});
