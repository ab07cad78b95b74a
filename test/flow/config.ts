/** Models with a small window: `medium-…` with 32,000 tokens, `small-…` with 16,000, `tiny-…` with 8,000. */
const SMALL_MODELS = Array.from({ length: 100 }, (_, n) => [
  { id: `medium-${n}`, contextWindow: 32_000 },
  { id: `small-${n}`, contextWindow: 16_000 },
  { id: `tiny-${n}`, contextWindow: 8_000 },
]).flat();

/** What the Worker under test is configured with: every model of provider `fake` is a scenario of the fake server. */
export function testConfig(modelServer: string, botApi: string) {
  const wire = (api: string) => ({ baseUrl: `${modelServer}/v1`, api });
  return {
    agents: {
      defaults: {
        model: "fake/default",
        maxConcurrent: { cron: 2 },
        subagents: { maxSpawnDepth: 2, maxChildren: 3, allowAgents: ["other"] },
      },
      list: [{ id: "main" }, { id: "other", model: "fake/other" }, { id: "third" }],
    },
    models: {
      retry: { backoffMs: 20 },
      providers: {
        fake: { ...wire("openai-completions"), models: SMALL_MODELS },
        responses: wire("openai-responses"),
        anthropic: wire("anthropic-messages"),
      },
    },
    commands: { ownerAllowFrom: ["telegram:42", "telegram:43"] },
    channels: {
      telegram: {
        accounts: {
          default: { apiBase: botApi, username: "isopod_bot", groups: { "-1005": {} } },
          blocks: { apiBase: botApi, username: "isopod_bot", blockStreaming: true },
        },
      },
    },
  };
}
