import { describe, expect, test } from "vitest";
import { z } from "zod";
import { auth } from "../../src/config/security-schema.ts";
import { IsopodError } from "../../src/lib/errors.ts";
import { createCandidates } from "../../src/models/candidates.ts";
import { modelsConfig } from "../../src/models/config.ts";
import { createModelResolver, defaultModelRef } from "../../src/models/index.ts";
import { modelLimits } from "../../src/models/limits.ts";
import { asking, openLab, partsText, replyOf } from "../contracts/model-lab.ts";

type Env = Record<string, string>;

function resolverOf(models: unknown = {}, env: Env = {}, profiles: unknown = {}) {
  const { providers } = modelsConfig.parse(models);
  return createModelResolver({ providers, auth: auth.parse({ profiles }), secret: (name) => env[name], fetch });
}

/** The error message if a model cannot be resolved. */
function refusal(ref: string, models?: unknown, env?: Env): { code: string; text: string } {
  try {
    resolverOf(models, env).resolve(ref);
  } catch (error) {
    if (error instanceof IsopodError) return { code: error.code, text: `${error.message} ${error.hint}` };
  }
  throw new Error(`${ref} was resolved`);
}

describe("a model reference", () => {
  test("creates a model of a configured provider, with its key and headers from the environment", async () => {
    const lab = openLab();
    const models = {
      providers: {
        lab: {
          baseUrl: lab.baseUrl,
          api: "openai-completions",
          apiKey: { source: "env", id: "LAB_KEY" },
          headers: { "x-team": "a", "x-pass": { source: "env", id: "LAB_PASS" } },
          models: [{ id: "org/tiny", contextWindow: 4_096, maxTokens: 512 }],
        },
      },
    };
    const model = resolverOf(models, { LAB_KEY: "sk-lab", LAB_PASS: "open" }).resolve("lab/org/tiny");
    expect(model).toMatchObject({ ref: "lab/org/tiny", contextWindow: 4_096, maxOutputTokens: 512 });
    await replyOf(model, asking());
    const [request] = await lab.requests();
    expect(request!.headers).toMatchObject({ authorization: "Bearer sk-lab", "x-team": "a", "x-pass": "open" });
    expect(request!.body).toMatchObject({ model: "org/tiny", max_tokens: 512 });
  });

  test.each(["openai-completions", "openai-responses", "anthropic-messages"])(
    "speaks %s where the provider does",
    async (api) => {
      const lab = openLab();
      await lab.script({ text: "Hi there." });
      const model = resolverOf({ providers: { lab: { baseUrl: lab.baseUrl, api } } }).resolve("lab/m");
      expect(partsText(await replyOf(model, asking()), "text")).toBe("Hi there.");
    },
  );

  test("creates each model once", () => {
    const resolver = resolverOf({}, { OPENAI_API_KEY: "sk" });
    expect(resolver.resolve("openai/gpt-5")).toBe(resolver.resolve("openai/gpt-5"));
    expect(resolver.resolve("openai/gpt-5")).not.toBe(resolver.resolve("openai/gpt-4o"));
  });

  test("may name a built-in provider, without a key if it is local", () => {
    const resolver = resolverOf({}, { ANTHROPIC_API_KEY: "sk", OPENROUTER_API_KEY: "sk" });
    expect(resolver.resolve("anthropic/claude-sonnet-5-5")).toMatchObject({ contextWindow: 1_000_000 });
    expect(resolver.resolve("openrouter/anthropic/claude-sonnet-4.5")).toMatchObject({ contextWindow: 200_000 });
    expect(resolver.resolve("ollama/llama3.2").ref).toBe("ollama/llama3.2");
    expect(resolver.resolve("offline/rules").ref).toBe("offline/rules");
  });

  test("may name a configured provider that replaces a built-in one", async () => {
    const lab = openLab();
    const models = { providers: { openai: { baseUrl: lab.baseUrl, api: "openai-completions" } } };
    await replyOf(resolverOf(models).resolve("openai/gpt-5"), asking());
    expect((await lab.requests()).map(({ path }) => path)).toEqual(["v1/chat/completions"]);
  });

  test("at another address has its usual wire format and key, where the key is set", async () => {
    const lab = openLab();
    const models = { providers: { anthropic: { baseUrl: lab.baseUrl } } };
    const withKey = resolverOf(models, { ANTHROPIC_API_KEY: "sk-usual" }).resolve("anthropic/claude-x");
    await replyOf(withKey, asking());
    const [request] = await lab.requests();
    expect(request).toMatchObject({ path: expect.stringContaining("messages"), headers: { "x-api-key": "sk-usual" } });
    expect(withKey.access).toEqual({ baseUrl: lab.baseUrl, keyName: "ANTHROPIC_API_KEY", isKeySent: true });
    const { access } = resolverOf(models).resolve("anthropic/claude-x");
    expect(access).toEqual({ baseUrl: lab.baseUrl, keyName: "ANTHROPIC_API_KEY", isKeySent: false });
  });

  test("gets no usual key beside a header of its own that stands for one", () => {
    const headers = { authorization: { source: "env", id: "PASS" } };
    const models = { providers: { openai: { baseUrl: "https://proxy.test/v1", headers } } };
    const { access } = resolverOf(models, { PASS: "p", OPENAI_API_KEY: "sk" }).resolve("openai/gpt-5");
    expect(access).toEqual({ baseUrl: "https://proxy.test/v1", isKeySent: true });
  });

  test("with `custom` means the server at OPENAI_BASE_URL", async () => {
    const lab = openLab();
    await replyOf(resolverOf({}, { OPENAI_BASE_URL: lab.baseUrl }).resolve("custom/meta/llama"), asking());
    const [request] = await lab.requests();
    expect(request!.body).toMatchObject({ model: "meta/llama" });
    expect(request!.headers).not.toHaveProperty("authorization");
  });

  test("that cannot be resolved is refused with what to set", () => {
    expect(refusal("openai/gpt-5")).toMatchObject({
      code: "not_configured",
      text: expect.stringContaining("OPENAI_API_KEY"),
    });
    expect(refusal("nowhere/m").text).toMatch(/models\.providers\.nowhere.*openai.*ollama/);
    expect(refusal("constructor/m").code).toBe("not_configured");
    expect(refusal("gpt-5").text).toContain("provider/model");
    expect(refusal("custom/llama").text).toContain("OPENAI_BASE_URL");
    expect(refusal("custom/", {}, { OPENAI_BASE_URL: "http://127.0.0.1:1/v1" }).text).toContain("ISOPOD_MODEL");
    const models = {
      providers: {
        lab: {
          baseUrl: "http://a.test/v1",
          api: "openai-completions",
          headers: { "x-pass": { source: "env", id: "LAB_PASS" } },
        },
      },
    };
    expect(refusal("lab/m", models).text).toContain("LAB_PASS");
  });
});

describe("the model of a deployment without a configured one", () => {
  test.each<[string, Env]>([
    ["offline/rules", {}],
    ["openai/gpt-6.1-sol", { OPENAI_API_KEY: "sk", ANTHROPIC_API_KEY: "sk" }],
    ["anthropic/claude-sonnet-5-5", { ANTHROPIC_API_KEY: "sk" }],
    ["groq/llama", { ISOPOD_MODEL: "groq/llama", OPENAI_API_KEY: "sk" }],
    ["custom/llama3.2", { OPENAI_BASE_URL: "http://127.0.0.1:11434/v1", ISOPOD_MODEL: "llama3.2" }],
    ["custom/openai/gpt-oss-20b", { OPENAI_BASE_URL: "http://127.0.0.1:1234/v1", ISOPOD_MODEL: "openai/gpt-oss-20b" }],
    ["custom/llama3.2", { OPENAI_BASE_URL: "http://127.0.0.1:11434/v1", ISOPOD_MODEL: "custom/llama3.2" }],
    ["custom/qwen3", { OPENAI_BASE_URL: "http://127.0.0.1:8000/v1", OPENAI_MODEL: "qwen3", OPENAI_API_KEY: "sk" }],
    ["offline/rules", { OPENAI_BASE_URL: "http://127.0.0.1:8000/v1", ISOPOD_MODEL: "offline/rules" }],
    ["offline/rules", { ISOPOD_MODEL: " ", OPENAI_API_KEY: "" }],
  ])("is %s with %j", (ref, env) => {
    expect(defaultModelRef((name) => env[name])).toBe(ref);
  });
});

describe("the key of a model", () => {
  const key = (id: string, provider = "lab") => ({ provider, apiKey: { source: "env", id } });
  const profiles = { none: key("NO_KEY"), work: key("WORK_KEY"), home: key("HOME_KEY"), other: key("X_KEY", "xai") };
  const env = { WORK_KEY: "sk-work", HOME_KEY: "sk-home", LAB_KEY: "sk-lab" };

  async function keyUsed(profile?: string, have: Env = env): Promise<string | undefined> {
    const lab = openLab();
    const own = { apiKey: { source: "env", id: "LAB_KEY" } };
    const models = { providers: { lab: { baseUrl: lab.baseUrl, api: "openai-completions", ...own } } };
    await replyOf(resolverOf(models, have, profiles).resolve("lab/m", profile), asking());
    return (await lab.requests())[0]!.headers.authorization;
  }

  test("is that of the requested profile, else of the first profile with a key, else the provider's own", async () => {
    expect(await keyUsed("home")).toBe("Bearer sk-home");
    expect(await keyUsed()).toBe("Bearer sk-work");
    expect(await keyUsed(undefined, { LAB_KEY: "sk-lab" })).toBe("Bearer sk-lab");
  });

  test("is named by its variable if no profile has one", () => {
    const models = { providers: { lab: { baseUrl: "http://a.test", api: "openai-completions" } } };
    expect(() => resolverOf(models, {}, profiles).resolve("lab/m")).toThrow("has no key");
  });

  test("makes a candidate of each profile with a key, in order, and reports those without", () => {
    const models = { providers: { lab: { baseUrl: "http://a.test", api: "openai-completions" } } };
    const leftOut: string[] = [];
    const find = createCandidates({
      resolver: resolverOf(models, env, profiles),
      auth: auth.parse({ profiles, order: { lab: ["home", "none", "work"] } }),
      secret: (name) => (env as Env)[name],
      leftOut: (name, why) => void leftOut.push(`${name}: ${why}`),
    });
    const found = find(["lab/a", "xai/grok-5", "lab/b", "lab/a"]).map(({ model, profile }) => [model.ref, profile]);
    expect(found).toEqual([
      ["lab/a", "home"],
      ["lab/a", "work"],
      ["lab/b", "home"],
      ["lab/b", "work"],
    ]);
    expect(leftOut).toContain("none: Set NO_KEY.");
    expect(leftOut).toContain("xai/grok-5: the model provider 'xai' has no key");
    expect(() => find(["xai/grok-5"])).toThrow("the model provider 'xai' has no key");
  });
});

describe("the configuration of models", () => {
  test("has no providers by default, and describes every field", () => {
    expect(modelsConfig.parse(undefined)).toEqual({ providers: {}, retry: { times: 2, backoffMs: 1000 } });
    const schema = JSON.stringify(z.toJSONSchema(modelsConfig, { io: "input" }));
    for (const field of ["baseUrl", "api", "apiKey", "headers", "models", "contextWindow", "maxTokens", "reasoning"]) {
      expect(schema).toMatch(new RegExp(`"${field}":\\{[^{}]*(?:\\{.*)?"description"`));
    }
  });

  test.each([
    [{ providers: { lab: { baseUrl: "ftp://a.test", api: "openai-completions" } } }, "baseUrl"],
    [{ providers: { lab: { baseUrl: "http://a.test", api: "smoke-signals" } } }, "api"],
    [{ providers: { lab: { baseUrl: "http://a.test", api: "openai-completions", apiKey: "sk-secret" } } }, "apiKey"],
    [{ providers: { lab: { baseUrl: "http://a.test", api: "openai-completions", colour: "red" } } }, "colour"],
    [{ providers: { "My Lab": { baseUrl: "http://a.test", api: "openai-completions" } } }, "My Lab"],
  ])("refuses %j and names the field", (models, field) => {
    const result = modelsConfig.safeParse(models);
    expect(result.success).toBe(false);
    expect(z.prettifyError(result.error!)).toContain(field);
  });
});

describe("a model's limits", () => {
  test.each([
    ["claude-opus-5-5", 1_000_000, 128_000],
    ["anthropic/claude-sonnet-4.6", 200_000, 128_000],
    ["claude-opus-4-5-20251101", 200_000, 64_000],
    ["claude-opus-4-1-20250805", 200_000, 32_000],
    ["claude-opus-4-20250514", 200_000, 32_000],
    ["claude-sonnet-4-20250514", 200_000, 64_000],
    ["gpt-6.1-sol", 1_050_000, 128_000],
    ["gpt-5.4-mini", 400_000, 128_000],
    ["gpt-5-2025-08-07", 400_000, 128_000],
    ["gpt-5-chat-latest", 128_000, 16_384],
    ["openai/o4-mini", 200_000, 100_000],
    ["some-model-of-yours", 128_000, 8_192],
  ])("of %s are %i and %i", (modelId, contextWindow, maxOutputTokens) => {
    expect(modelLimits(modelId)).toEqual({ contextWindow, maxOutputTokens });
  });
});
