import { describe, expect, test } from "vitest";
import { at, heard, serve } from "../security/outside-lab.ts";
import { MemoryLab } from "./memory-lab.ts";

const DIMENSIONS = 768;

/** An agent whose embeddings are made by a server at a place of the test's own, which speaks OpenAI's language. */
function agentAt(place: string, id = place, more: object = {}) {
  const remote = { baseUrl: at(place, "v1"), headers: { "x-team": "memory" } };
  return { id, memorySearch: { provider: "openai", model: "nomic-embed-text", remote, ...more } };
}

function serveVectors(place: string, refuses?: string): Promise<void> {
  return serve(place, { "v1/embeddings": { embeds: { dimensions: DIMENSIONS, ...(refuses && { refuses }) } } });
}

/** All texts that a place was sent. */
async function sent(place: string): Promise<string[]> {
  return (await heard(place)).flatMap(({ body }) => JSON.parse(body).input);
}

describe("a memory with a provider of embeddings", () => {
  test("sends it the texts of notes and the questions, and answers by words and vectors", async () => {
    await serveVectors("flow-hybrid");
    const lab = new MemoryLab([agentAt("flow-hybrid")]);
    await lab.put("flow-hybrid", "memory/cats.md", "Miso was vaccinated in May.");
    await lab.put("flow-hybrid", "memory/house.md", "The boiler is checked each autumn.");
    expect((await lab.index("flow-hybrid")).body).toMatchObject({
      complete: true,
      embedder: { requested: "openai", provider: "openai", model: "nomic-embed-text" },
      vectors: { store: "d1", ready: { vectors: 2, space: expect.stringContaining("/nomic-embed-text/768 at ") } },
    });
    const answer = await lab.search("flow-hybrid", "vaccinated");
    expect(answer).toMatchObject({ mode: "hybrid", embedder: { provider: "openai", model: "nomic-embed-text" } });
    expect(answer.degraded).toBeUndefined();
    expect(answer.results[0]).toMatchObject({ path: "memory/cats.md", reason: { legs: "both" } });
    const texts = await sent("flow-hybrid");
    expect(texts.at(-1)).toBe("vaccinated");
    expect(texts.slice(0, -1).join()).toMatch(/Miso.*boiler|boiler.*Miso/s);
    expect((await heard("flow-hybrid"))[0]?.headers["x-team"]).toBe("memory");
  });

  test("finds by words and says why, where the provider fails, and leaves it alone for a while", async () => {
    await serveVectors("flow-down");
    const lab = new MemoryLab([agentAt("flow-down")]);
    await lab.put("flow-down", "memory/cats.md", "Miso was vaccinated in May.");
    await lab.index("flow-down");
    await serve("flow-down", { "v1/embeddings": { status: 503, body: "down for Miso" } });
    const before = (await heard("flow-down")).length;
    for (const query of ["vaccinated", "Miso in May"]) {
      const answer = await lab.search("flow-down", query);
      expect(answer.results[0]?.path).toBe("memory/cats.md");
      expect(answer).toMatchObject({
        mode: "keywords",
        degraded: { code: "embedder_failed", message: expect.stringMatching(/^The embedding server .*\(503\)/) },
      });
    }
    expect((await heard("flow-down")).length).toBe(before + 1);
  });

  test("finds a note by its words when the provider refuses to embed it", async () => {
    await serveVectors("flow-refused", "xyzzy");
    const lab = new MemoryLab([agentAt("flow-refused")]);
    await lab.put("flow-refused", "memory/a.md", "A plain note of the garden.");
    await lab.put("flow-refused", "memory/b.md", "The word is xyzzy.");
    expect((await lab.index("flow-refused")).body).toMatchObject({ pending: 0, vectors: { ready: { vectors: 1 } } });
    expect(await lab.found("flow-refused", "word")).toContain("memory/b.md#L1");
    expect((await lab.search("flow-refused", "garden")).mode).toBe("hybrid");
  });

  test("embeds the same text once for all agents", async () => {
    await serveVectors("flow-once");
    const lab = new MemoryLab([agentAt("flow-once", "flow-once-1"), agentAt("flow-once", "flow-once-2")]);
    for (const id of ["flow-once-1", "flow-once-2"]) {
      await lab.put(id, "memory/rota.md", "Friday is baking day.");
      expect((await lab.index(id)).body.vectors.ready).toMatchObject({ vectors: 1 });
    }
    expect(await sent("flow-once")).toEqual([expect.stringContaining("Friday is baking day.")]);
  });

  test("falls back to the local embedder when its provider's key is missing, and names the key", async () => {
    const lab = new MemoryLab([{ id: "flow-keyless", memorySearch: { provider: "voyage", fallback: "local" } }]);
    await lab.put("flow-keyless", "memory/a.md", "The lantern is in the cellar.");
    const { body } = await lab.index("flow-keyless");
    expect(body.embedder).toMatchObject({
      requested: "voyage",
      provider: "local",
      why: expect.stringContaining("VOYAGE_API_KEY is not set; the fallback local takes its place"),
    });
    expect(await lab.search("flow-keyless", "lantern")).toMatchObject({ embedder: { provider: "local" } });
  });
});
