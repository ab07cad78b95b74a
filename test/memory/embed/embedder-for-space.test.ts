import { expect, test } from "vitest";
import { memorySearch } from "../../../src/config/memory-schema.ts";
import { chooseEmbedders, embedderForSpace } from "../../../src/memory/embed/choose-embedders.ts";

const NOW = { provider: "voyage", model: "voyage-3.5" };

function former(space: string, { keys = ["OPENAI_API_KEY"], settings = {} as object } = {}) {
  return embedderForSpace(space, memorySearch.parse({ ...NOW, ...settings }), (other) =>
    chooseEmbedders(other, {
      secret: (name) => (keys.includes(name) ? "a-key" : undefined),
      ai: { run: async () => ({}) } as never,
      host: "cloudflare-workers",
      fetch,
      now: () => 0,
      cooldowns: new Map(),
    }),
  );
}

test.each([
  "openai/text-embedding-3-small/1024",
  "openai/text-embedding-3-small/256",
  "workers-ai/@cf/baai/bge-m3/1024",
])("the embedder of the earlier space %s is used although another is configured", (space) => {
  expect(former(space)?.space).toBe(space);
});

test("an earlier model of the configured server is called there", () => {
  const remote = { baseUrl: "https://own.test/v1" };
  const space = "openai/text-embedding-3-small/1024 at own.test/v1";
  for (const provider of ["auto", "openai"]) {
    const settings = { provider, model: "text-embedding-3-large", remote };
    expect(former(space, { settings })?.space).toBe(space);
  }
});

test("the local embedder of an earlier space needs no key", () => {
  const local = chooseEmbedders(memorySearch.parse({ provider: "local" }), {} as never).primary!.space;
  expect(former(local, { keys: [] })?.space).toBe(local);
});

test.each<[string, string, Parameters<typeof former>[1]]>([
  ["whose key is gone", "openai/text-embedding-3-small/1024", { keys: [] }],
  [
    "whose server is another now",
    "openai/text-embedding-3-small/1024",
    { settings: { provider: "openai", model: "other", remote: { baseUrl: "https://own.test/v1" } } },
  ],
  ["of an older version of ours", "local/hash-0/512", {}],
  ["nobody knows", "acme/words/3", {}],
  ["that is no space", "openai", {}],
])("an earlier embedder %s cannot be used", (_, space, given) => {
  expect(former(space, given)).toBeUndefined();
});

test("the configured key and headers are not sent to an earlier embedder", async () => {
  const sent: Request[] = [];
  const remote = { apiKey: { source: "env", id: "VOYAGE_KEY" }, headers: { "x-team": "voyagers" } };
  const settings = memorySearch.parse({ ...NOW, remote });
  const openai = embedderForSpace("openai/text-embedding-3-small/1024", settings, (other) =>
    chooseEmbedders(other, {
      secret: (name) => (name.endsWith("URL") ? undefined : `value of ${name}`),
      ai: undefined,
      host: "workerd",
      fetch: async (...request) => {
        sent.push(new Request(...request));
        return new Response("{}", { status: 500 });
      },
      now: () => 0,
      cooldowns: new Map(),
    }),
  );
  await openai?.embed(["a note"], "document", new AbortController().signal).catch(() => undefined);
  expect(sent.length).toBeGreaterThan(0);
  for (const { headers } of sent) expect(JSON.stringify([...headers])).not.toMatch(/VOYAGE_KEY|voyagers/);
});
