import { describe, expect, test } from "vitest";
import { call, finished, say, script, waitFor } from "./client.ts";
import { configure, session } from "./session-lab.ts";

/** What the Worker's own agent finds, best first. */
async function found(agent: string, query: string): Promise<string[]> {
  const response = await call("POST", `/v1/agents/${agent}/memory/search`, { query });
  return (await response.json<{ results: { path: string }[] }>()).results.map(({ path }) => path);
}

async function statusOf(agent: string) {
  return (await call("GET", `/v1/agents/${agent}/memory/status`)).json<any>();
}

describe("what an agent writes while it works", () => {
  test("is found by the next search, whichever tool wrote it", async () => {
    const calling = (name: string, args: object) => ({ calls: [{ name, args }] });
    await script("memory-writes", [
      calling("write", { path: "memory/boat.md", content: "The dinghy is called Marigold." }),
      calling("exec", { command: "mkdir -p memory && echo 'The anchor is in the shed.' > memory/anchor.md" }),
      calling("memory_search", { query: "what is the dinghy called" }),
      { text: "Noted." },
    ]);
    const { runId } = await say("Note it", "memory-writes", { sessionKey: "agent:main:hook:memory-writes" });
    expect(await finished(runId)).toMatchObject({ status: "ok" });
    expect(await found("main", "dinghy")).toEqual(["memory/boat.md"]);
    expect(await found("main", "anchor")).toEqual(["memory/anchor.md"]);
    expect(await found("other", "dinghy")).toEqual([]);
  });
});

describe("a conversation that begins", () => {
  test("has the memory compared, once for all that begin in a while, and later turns do not", async () => {
    const sent: unknown[] = [];
    const INDEXING = { send: async (body: unknown) => sent.push(body) };
    const names = ["memory-begins", "memory-begins-too"];
    const defaults = (config: any) => ({ ...config.agents.defaults, memorySearch: { provider: "local" } });
    for (const name of names) {
      const change = (config: any) => ({ ...config, agents: { ...config.agents, defaults: defaults(config) } });
      await configure(name, change, { INDEXING });
      await script(name, [{ text: "Hello." }, { text: "Still here." }]);
      for (const text of ["Hi", "Hi again"]) {
        expect(await finished((await say(text, name, session(name))).runId)).toMatchObject({ status: "ok" });
      }
    }
    expect(sent).toEqual([{ kind: "index-memory", agentId: "main" }]);
  });
});

describe("the queue", () => {
  test("brings words and vectors up to date by itself after a write", async () => {
    await call("PUT", "/v1/agents/third/workspace/memory/tea.md", "Earl Grey at four.");
    await waitFor(async () => (await statusOf("third")).complete);
    expect(await statusOf("third")).toMatchObject({
      files: 1,
      chunks: 1,
      embedder: { requested: "local", provider: "local" },
      vectors: { store: "d1", ready: { vectors: 1 }, building: null },
    });
    const response = await call("POST", "/v1/agents/third/memory/search", { query: "earl grey" });
    expect(await response.json()).toMatchObject({
      mode: "hybrid",
      embedder: { provider: "local" },
      results: [{ path: "memory/tea.md", reason: { legs: "both" } }],
    });
  });
});
