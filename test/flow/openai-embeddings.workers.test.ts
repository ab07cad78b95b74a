import { createExecutionContext, env, SELF } from "cloudflare:test";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { createApp } from "../../src/http/app.ts";
import { at, heard, serve } from "../security/outside-lab.ts";
import { openai, refusal } from "./openai-client.ts";

/** A client of a Worker whose agents have embedding providers at places of the test's own. */
function clientWith(agents: readonly object[]): OpenAI {
  const config = JSON.parse(env.ISOPOD_CONFIG ?? "{}");
  config.agents.list.push(...agents);
  const bindings = { ...env, ISOPOD_CONFIG: JSON.stringify(config) };
  const app = createApp();
  const answer = (input: unknown, init?: RequestInit) =>
    app.request(String(input), init, bindings, createExecutionContext());
  return openai({ fetch: async (input, init) => answer(input, init as RequestInit) });
}

function agentAt(id: string, memory: object = {}) {
  const remote = { baseUrl: at(id, "v1") };
  return { id, memorySearch: { provider: "openai", model: "nomic-embed-text", remote, ...memory } };
}

function serveVectors(place: string, dimensions: number): Promise<void> {
  return serve(place, { "v1/embeddings": { embeds: { dimensions } } });
}

describe("embeddings", () => {
  test("the provider of an agent's memory makes a vector of length 1 for each text, in order", async () => {
    await serveVectors("oai-embed", 768);
    const client = clientWith([agentAt("oai-embed")]);
    const input = ["A cat sleeps.", "A dog barks."];
    const floats = await client.embeddings.create({ model: "isopod/oai-embed", input, encoding_format: "float" });
    expect(floats).toMatchObject({
      object: "list",
      model: "nomic-embed-text",
      data: [
        { object: "embedding", index: 0 },
        { object: "embedding", index: 1 },
      ],
      usage: { prompt_tokens: expect.any(Number) },
    });
    expect(floats.usage.prompt_tokens).toBeGreaterThan(3);
    const [cat, dog] = floats.data.map(({ embedding }) => embedding);
    expect(cat).toHaveLength(768);
    expect(Math.hypot(...cat!)).toBeCloseTo(1);
    expect(cat).not.toEqual(dog);
    // The official client asks for base64 where nothing is said, and decodes it.
    const decoded = await client.embeddings.create({ model: "isopod/oai-embed", input: "A cat sleeps." });
    expect(decoded.data[0]?.embedding).toEqual(cat);
    expect(JSON.parse((await heard("oai-embed")).at(-1)!.body).input).toEqual(["A cat sleeps."]);
  });

  test("the embedding model's own name works too, and another is not found", async () => {
    await serveVectors("oai-named", 1024);
    const client = clientWith([agentAt("oai-named", { model: "mxbai-embed-large" })]);
    const made = await client.embeddings.create({ model: "mxbai-embed-large", input: "x" });
    expect(made.data[0]?.embedding).toHaveLength(1024);
    const unknown = await refusal(client.embeddings.create({ model: "text-embedding-9", input: "x" }));
    expect([unknown.status, unknown.code]).toEqual([404, "model_not_found"]);
  });

  test("dimensions are chosen where the model allows it, else refused", async () => {
    await serveVectors("oai-flexible", 256);
    await serveVectors("oai-fixed", 768);
    const client = clientWith([agentAt("oai-flexible", { model: "text-embedding-3-small" }), agentAt("oai-fixed")]);
    const made = await client.embeddings.create({ model: "isopod/oai-flexible", input: "x", dimensions: 256 });
    expect(made.data[0]?.embedding).toHaveLength(256);
    expect(JSON.parse((await heard("oai-flexible")).at(-1)!.body)).toMatchObject({ dimensions: 256 });
    const fixed = await refusal(client.embeddings.create({ model: "isopod/oai-fixed", input: "x", dimensions: 256 }));
    expect([fixed.status, fixed.param]).toEqual([400, "dimensions"]);
  });

  test("without a provider, and for input that cannot be taken, the error says so", async () => {
    const none = clientWith([{ id: "oai-none", memorySearch: { provider: "none" } }]);
    const error = await refusal(none.embeddings.create({ model: "isopod/oai-none", input: "x" }));
    expect([error.status, error.code]).toEqual([503, "not_configured"]);
    expect(error.message).toContain("memorySearch.provider is none");
    const wrong: [unknown, RegExp][] = [
      ["", /empty/],
      [[], /no text/],
      [["x", ""], /empty/],
      [[1, 2, 3], /token numbers/],
      ["x".repeat(100_001), /100000/],
      [Array(2049).fill("x"), /2048/],
      [Array(11).fill("x".repeat(99_000)), /1000000/],
    ];
    for (const [input, words] of wrong) {
      const body = { model: "isopod", input: input as string };
      const refused = await refusal(openai().embeddings.create(body));
      expect([refused.status, refused.message]).toEqual([400, expect.stringMatching(words)]);
    }
  });

  test("a rate limit of the provider is passed on with its time", async () => {
    const headers = { "retry-after": "17" };
    await serve("oai-limited", { "v1/embeddings": { status: 429, body: "slow down", headers } });
    const client = clientWith([agentAt("oai-limited")]);
    const error = await refusal(client.embeddings.create({ model: "isopod/oai-limited", input: "x" }));
    expect(error).toBeInstanceOf(OpenAI.RateLimitError);
    expect(error.headers?.get("retry-after")).toBe("17");
  });

  test("many texts are embedded at once", async () => {
    const input = Array.from({ length: 300 }, (_, n) => `Text number ${n}`);
    const response = await SELF.fetch("https://isopod.test/v1/embeddings", {
      method: "POST",
      headers: { Authorization: "Bearer test-token", "Content-Type": "application/json" },
      body: JSON.stringify({ model: "isopod", input }),
    });
    const { data } = await response.json<OpenAI.CreateEmbeddingResponse>();
    expect([response.status, data.length, data.at(-1)?.index]).toEqual([200, 300, 299]);
  });
});
