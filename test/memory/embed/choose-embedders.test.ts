import { describe, expect, test } from "vitest";
import { within } from "../../../src/lib/deadline.ts";
import { chooseEmbedders, type EmbedderSources } from "../../../src/memory/embed/choose-embedders.ts";
import { at, heard, serve } from "../../security/outside-lab.ts";
import {
  along,
  embed,
  embedderOf,
  failureOf,
  type GivenSettings,
  json,
  key,
  settingsWith,
  sourcesWith,
} from "./provider-lab.ts";

const ai: EmbedderSources["ai"] = { run: async () => ({}) };
const workerd = { host: "workerd" } as const;

/** The choice as two spaces and a reason. */
function chosen(settings: GivenSettings, sources: Parameters<typeof sourcesWith>[0] = {}) {
  const { primary, fallback, why, requested } = chooseEmbedders(settingsWith(settings), sourcesWith(sources));
  return { requested, primary: primary?.space, fallback: fallback?.space, why };
}

describe("the automatic choice of an embedder", () => {
  test.each<[string, Parameters<typeof sourcesWith>[0], string, RegExp]>([
    ["Workers AI on Cloudflare", { ai, secrets: { OPENAI_API_KEY: "k" } }, "workers-ai/@cf/baai/bge-m3/1024", /bound/],
    ["local on one's own machine", { ai, ...workerd }, "local/hash-1/512", /needs no key/],
    ["local without a key", {}, "local/hash-1/512", /no other provider/],
    [
      "OpenAI by its key",
      { secrets: { OPENAI_API_KEY: "k" } },
      "openai/text-embedding-3-small/1024",
      /OPENAI_API_KEY.*sent to openai/,
    ],
    ["Gemini by its key", { secrets: { GEMINI_API_KEY: "k" } }, "gemini/gemini-embedding-001/1024", /GEMINI_API_KEY/],
    [
      "Gemini by its other key",
      { secrets: { GOOGLE_API_KEY: "k" } },
      "gemini/gemini-embedding-001/1024",
      /GOOGLE_API_KEY/,
    ],
    [
      "Voyage by its key",
      { ai, ...workerd, secrets: { VOYAGE_API_KEY: "k" } },
      "voyage/voyage-3.5/1024",
      /VOYAGE_API_KEY/,
    ],
  ])("is %s", (_, sources, space, why) => {
    expect(chosen({}, sources)).toEqual({
      requested: "auto",
      primary: space,
      fallback: undefined,
      why: expect.stringMatching(why),
    });
  });

  test("never uses OpenAI with a key for another server", () => {
    const secrets = { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "http://127.0.0.1:8080/v1" };
    expect(chosen({}, { secrets }).primary).toBe("local/hash-1/512");
  });

  test("uses the server of memorySearch.remote", () => {
    const remote = { baseUrl: "http://127.0.0.1:1234/v1/" };
    expect(chosen({ model: "nomic-embed-text", remote }, { ai })).toMatchObject({
      primary: "openai/nomic-embed-text/768 at 127.0.0.1:1234/v1",
      why: expect.stringContaining("baseUrl"),
    });
  });

  test("sends no key or header of memorySearch.remote to a provider that is not named there", async () => {
    const asked: Headers[] = [];
    const network = async (_: string, init: RequestInit) => {
      asked.push(new Headers(init.headers));
      return Response.json({ data: [{ embedding: along(0, 1024) }] });
    };
    const settings = { remote: { apiKey: key("GEMINI_API_KEY"), headers: { "x-for": "somebody" } } };
    const secrets = { OPENAI_API_KEY: "sk-openai", GEMINI_API_KEY: "g" };
    await embed(embedderOf(settings, { secrets, fetch: network as typeof fetch }), ["a"]);
    expect(asked.map((headers) => [headers.get("authorization"), headers.get("x-for")])).toEqual([
      ["Bearer sk-openai", null],
    ]);
    expect(chosen(settings, { secrets }).why).toContain("memorySearch.remote is ignored");
  });
});

describe("a configured embedder", () => {
  test("is used with its default key or a configured one", () => {
    expect(chosen({ provider: "voyage" }, { secrets: { VOYAGE_API_KEY: "k" } })).toMatchObject({
      requested: "voyage",
      primary: "voyage/voyage-3.5/1024",
      why: "memorySearch.provider is voyage.",
    });
    const named = { provider: "openai" as const, remote: { apiKey: key("MY_KEY") } };
    expect(chosen(named, { secrets: { MY_KEY: "k" } }).primary).toBe("openai/text-embedding-3-small/1024");
    expect(chosen(named, { secrets: { OPENAI_API_KEY: "k" } })).toMatchObject({
      primary: undefined,
      why: expect.stringContaining("MY_KEY is not set; words alone"),
    });
  });

  test("needs no key at another server, and the provider's key is not sent there", async () => {
    await serve("embed-own-server", { "v1/embeddings": json({ data: [{ embedding: along(0, 1024) }] }) });
    const settings = { provider: "openai" as const, remote: { baseUrl: at("embed-own-server", "v1") } };
    await embed(embedderOf(settings, { secrets: { OPENAI_API_KEY: "sk-openai" } }), ["a"]);
    expect((await heard("embed-own-server"))[0]?.headers.authorization).toBeUndefined();
  });

  test("is called at OPENAI_BASE_URL with the key for that server", async () => {
    await serve("embed-base-url", { "v1/embeddings": json({ data: [{ embedding: along(0, 1024) }] }) });
    const secrets = { OPENAI_API_KEY: "sk-there", OPENAI_BASE_URL: at("embed-base-url", "v1") };
    await embed(embedderOf({ provider: "openai" }, { secrets }), ["a"]);
    expect((await heard("embed-base-url"))[0]?.headers.authorization).toBe("Bearer sk-there");
  });

  test.each<[string, GivenSettings, Parameters<typeof sourcesWith>[0], RegExp]>([
    ["has no key", { provider: "gemini" }, {}, /GEMINI_API_KEY and GOOGLE_API_KEY are not set/],
    ["is not bound", { provider: "workers-ai" }, {}, /binding AI is missing/],
    ["is not here", { provider: "workers-ai" }, { ai, ...workerd }, /on Cloudflare only/],
    [
      "has an unknown model",
      { provider: "workers-ai", model: "@cf/a/new" },
      { ai },
      /'@cf\/a\/new'.*outputDimensionality/,
    ],
    [
      "has a model of another size",
      { provider: "workers-ai", outputDimensionality: 512 },
      { ai },
      /gives 1024 dimensions/,
    ],
    [
      "has a header without a value",
      { provider: "openai", remote: { headers: { "x-a": key("NOT_THERE") } } },
      { secrets: { OPENAI_API_KEY: "k" } },
      /header x-a/,
    ],
  ])("is replaced by the fallback if it %s", (_, settings, sources, why) => {
    expect(chosen(settings, sources)).toMatchObject({ primary: undefined, why: expect.stringMatching(why) });
    expect(chosen({ ...settings, fallback: "local" }, sources)).toMatchObject({
      primary: "local/hash-1/512",
      fallback: undefined,
      why: expect.stringMatching(/the fallback local takes its place\.$/),
    });
  });

  test("is not used if provider is none or vectors are disabled", () => {
    expect(chosen({ provider: "none", fallback: "local" })).toMatchObject({ primary: undefined, fallback: undefined });
    expect(chosen({ provider: "local", store: { vector: { enabled: false } } })).toMatchObject({
      primary: undefined,
      why: "memorySearch.store.vector.enabled is false.",
    });
  });

  test("may be a model of any size, and each size has a space of its own", () => {
    const secrets = { OPENAI_API_KEY: "k" };
    const spaceOf = (settings: GivenSettings) => chosen({ provider: "openai", ...settings }, { secrets }).primary;
    expect(spaceOf({ model: "text-embedding-3-large" })).toBe("openai/text-embedding-3-large/1024");
    expect(spaceOf({ model: "text-embedding-3-large", outputDimensionality: 3072 })).toBe(
      "openai/text-embedding-3-large/3072",
    );
    expect(spaceOf({ model: "text-embedding-ada-002" })).toBe("openai/text-embedding-ada-002/1536");
    expect(spaceOf({ model: "new-one", outputDimensionality: 900 })).toBe("openai/new-one/900");
  });
});

describe("a fallback embedder", () => {
  test("has its own default model and server", () => {
    const secrets = { OPENAI_API_KEY: "k", VOYAGE_API_KEY: "v" };
    const remote = { baseUrl: "http://127.0.0.1:1/v1", apiKey: key("NOBODYS") };
    const settings = { provider: "openai", model: "bge-m3", fallback: "voyage" } as const;
    expect(chosen({ ...settings, remote: { baseUrl: remote.baseUrl } }, { secrets })).toMatchObject({
      primary: "openai/bge-m3/1024 at 127.0.0.1:1/v1",
      fallback: "voyage/voyage-3.5/1024",
    });
    // If the primary has no server, the configured one belongs to the fallback.
    expect(
      chosen({ provider: "workers-ai", fallback: "openai", remote: { baseUrl: remote.baseUrl } }, { ai }),
    ).toMatchObject({
      primary: "workers-ai/@cf/baai/bge-m3/1024",
      fallback: "openai/text-embedding-3-small/1024 at 127.0.0.1:1/v1",
    });
  });

  test("is reported if it cannot be used, and ignored if it is the primary itself", () => {
    expect(chosen({ provider: "local", fallback: "openai" })).toMatchObject({
      fallback: undefined,
      why: expect.stringContaining("The fallback openai cannot be used: OPENAI_API_KEY is not set."),
    });
    expect(chosen({ provider: "local", fallback: "local" }).fallback).toBeUndefined();
  });
});

describe("a provider in a cooldown", () => {
  test("is not called as long as it asked, repeats its error until then, and works again afterwards", async () => {
    let now = 1_000_000;
    const cooldowns: EmbedderSources["cooldowns"] = new Map();
    const settings = { provider: "openai" as const, remote: { baseUrl: at("embed-resting", "v1") } };
    const asking = () => embed(embedderOf(settings, { now: () => now, cooldowns }), ["a"]);
    await serve("embed-resting", { "v1/embeddings": json({}, { status: 429, headers: { "retry-after": "60" } }) });
    const first = await failureOf(asking());
    now += 20_000;
    expect(await failureOf(asking())).toMatchObject({
      kind: "rate_limit",
      message: first.message,
      retryAfterMs: 40_000,
    });
    expect(await heard("embed-resting")).toHaveLength(1);
    now += 40_000;
    await serve("embed-resting", { "v1/embeddings": json({ data: [{ embedding: along(0, 1024) }] }) });
    await asking();
    await asking();
    expect(await heard("embed-resting")).toHaveLength(3);
  });

  test("waits longest if a person has to act, not at all after a refused text, and not for another key", async () => {
    const now = () => 5;
    const cooldowns: EmbedderSources["cooldowns"] = new Map();
    const remote = { baseUrl: at("embed-cooldowns", "v1"), apiKey: key("ONE") };
    const sources = { now, cooldowns, secrets: { ONE: "1", TWO: "2" } };
    const asking = (settings: GivenSettings) =>
      failureOf(embed(embedderOf({ provider: "openai", ...settings }, sources), ["a"]));
    await serve("embed-cooldowns", { "v1/embeddings": json({ error: { message: "bad input" } }, { status: 400 }) });
    await asking({ remote });
    expect(cooldowns.size).toBe(0);
    await serve("embed-cooldowns", { "v1/embeddings": json({}, { status: 401 }) });
    await asking({ remote });
    expect((await asking({ remote })).retryAfterMs).toBe(300_000);
    await asking({ remote: { ...remote, apiKey: key("TWO") } });
    expect((await heard("embed-cooldowns")).map(({ headers }) => headers.authorization)).toEqual([
      "Bearer 1",
      "Bearer 1",
      "Bearer 2",
    ]);
  });

  test("is not called for a while after a timeout either", async () => {
    const cooldowns: EmbedderSources["cooldowns"] = new Map();
    await serve("embed-late", { "v1/embeddings": { hang: "body" } });
    const settings = { provider: "openai" as const, remote: { baseUrl: at("embed-late", "v1") } };
    const asking = () => within(100, (signal) => embed(embedderOf(settings, { cooldowns }), ["a"], { signal }));
    await failureOf(asking());
    expect(await failureOf(asking())).toMatchObject({ kind: "timeout", retryAfterMs: 20_000 });
    expect(await heard("embed-late")).toHaveLength(1);
  });

  test("does not start when the caller aborts", async () => {
    const cooldowns: EmbedderSources["cooldowns"] = new Map();
    await serve("embed-left", { "v1/embeddings": { hang: "head" } });
    const settings = { provider: "openai" as const, remote: { baseUrl: at("embed-left", "v1") } };
    const leaving = new AbortController();
    setTimeout(() => leaving.abort(), 50);
    await failureOf(embed(embedderOf(settings, { cooldowns }), ["a"], { signal: leaving.signal }));
    expect(cooldowns.size).toBe(0);
  });
});
