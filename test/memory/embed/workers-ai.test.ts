import { describe, expect, test } from "vitest";
import { within } from "../../../src/lib/deadline.ts";
import type { EmbeddingBinding } from "../../../src/memory/embed/workers-ai.ts";
import { along, embed, embedderOf, failureOf } from "./provider-lab.ts";

/** A stand-in for the documented binding of Workers AI, which exists on Cloudflare only. */
function binding(answer: (texts: string[]) => unknown): EmbeddingBinding & { asked: [string, unknown][] } {
  const asked: [string, unknown][] = [];
  return {
    asked,
    run: async (model, inputs) => {
      asked.push([model, inputs]);
      return answer(inputs.text as string[]);
    },
  };
}

const vectors = (dimensions: number) => (texts: string[]) => ({
  shape: [texts.length, dimensions],
  data: texts.map((_, at) => along(at, dimensions, 0.5)),
  pooling: "cls",
});

describe("embeddings of Workers AI", () => {
  test("come from bge-m3 by default, which cuts long texts", async () => {
    const ai = binding(vectors(1024));
    const embedder = embedderOf({ provider: "workers-ai" }, { ai });
    expect(await embed(embedder, ["one", "zwei"])).toEqual([along(0, 1024), along(1, 1024)]);
    expect(ai.asked).toEqual([["@cf/baai/bge-m3", { text: ["one", "zwei"], truncate_inputs: true }]]);
    expect(embedder).toMatchObject({ space: "workers-ai/@cf/baai/bge-m3/1024", maxBatch: 100, sees: "meaning" });
  });

  test("come from other models with their own inputs", async () => {
    const ai = binding(vectors(768));
    const english = embedderOf({ provider: "workers-ai", model: "@cf/baai/bge-base-en-v1.5" }, { ai });
    await embed(english, ["one"]);
    expect(ai.asked).toEqual([["@cf/baai/bge-base-en-v1.5", { text: ["one"], pooling: "cls" }]]);
    const asked: unknown[] = [];
    const run = async (_: string, inputs: unknown) => {
      asked.push(inputs);
      return { data: [along(0, 1024)] };
    };
    const qwen = embedderOf({ provider: "workers-ai", model: "@cf/qwen/qwen3-embedding-0.6b" }, { ai: { run } });
    await embed(qwen, ["one"]);
    await embed(qwen, ["one"], { purpose: "query" });
    expect(asked).toEqual([{ documents: ["one"] }, { queries: ["one"] }]);
  });

  test.each([
    ["4006: you have used up your daily free allocation of 10,000 neurons, please upgrade", "rate_limit"],
    ["3040: Capacity temporarily exceeded, please try again.", "unavailable"],
    ["5007: No such model @cf/baai/bge-m9 or task", "unavailable"],
    ["3036: Account limited", "unavailable"],
    ["5006: Error: oneOf at '/' not met: 'text' is too long, input exceeds the maximum context length", "rejected"],
  ])("fail with the kind of the binding's error: %s", async (message, kind) => {
    const ai = { run: () => Promise.reject(new Error(message)) };
    const error = await failureOf(embed(embedderOf({ provider: "workers-ai" }, { ai }), ["one"]));
    expect(error).toMatchObject({ kind, message: expect.stringMatching(/^Workers AI /) });
  });

  test.each([
    ["no vectors", { request_id: "77", status: "queued" }],
    ["too few", { data: [along(0, 1024)] }],
    ["others", { data: [along(0, 768), along(0, 768)] }],
  ])("are unavailable if it returns %s", async (_, answer) => {
    const embedder = embedderOf({ provider: "workers-ai" }, { ai: binding(() => answer) });
    expect(await failureOf(embed(embedder, ["one", "two"]))).toMatchObject({ kind: "unavailable" });
  });

  test("time out even if the binding ignores the signal", async () => {
    const ai = { run: () => new Promise(() => {}) };
    const embedder = embedderOf({ provider: "workers-ai" }, { ai });
    const error = await failureOf(within(50, (signal) => embed(embedder, ["one"], { signal })));
    expect(error.kind).toBe("timeout");
  });
});
