/**
 * Tokens by which the system prompt and the tools have grown since the tests of long conversations were written, with the
 * quarter of a window that stays free: where these grow again, so does this.
 */
const GROWN = 2900;

/** The windows of `small-…` and `tiny-…`. */
export const smallWindow = 16_000 + GROWN;
export const tinyWindow = 8_000 + GROWN;

/** Models with a small window: about 32,000 tokens for `medium-…`, 16,000 for `small-…`, 8,000 for `tiny-…`. */
const SMALL_MODELS = Array.from({ length: 100 }, (_, n) => [
  { id: `medium-${n}`, contextWindow: 32_000 + GROWN },
  { id: `small-${n}`, contextWindow: smallWindow },
  { id: `tiny-${n}`, contextWindow: tinyWindow },
]).flat();

/** Secrets of the Worker under test that skills are given: one as tokens are, one with all that is written otherwise elsewhere. */
export const testSecrets = { LEAKY_TOKEN: "tok_live_9f8E7d6C5b4A", LEAKY_KEY: "k3y/+=\"é&%7 <LEAK>'s" };

/** Secrets of its channels on the server of platforms. */
export const channelSecrets = {
  SLACK_BOT_TOKEN: "xoxb-flow-1",
  SLACK_SIGNING_SECRET: "flow-signing-secret",
  FEISHU_APP_ID: "cli_flow",
  FEISHU_APP_SECRET: "flow-app-secret",
  FEISHU_ENCRYPT_KEY: "flow-encrypt-key",
  FEISHU_VERIFICATION_TOKEN: "flow-token",
  DINGTALK_CLIENT_ID: "dingflow",
  DINGTALK_CLIENT_SECRET: "flow-client-secret",
  WECOM_CORP_ID: "wwflow",
  WECOM_AGENT_ID: "1000002",
  WECOM_SECRET: "flow-secret",
  WECOM_TOKEN: "flow-token",
  WECOM_ENCODING_AES_KEY: "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG",
};

/** What the Worker under test is configured with: every model of provider `fake` is a scenario of the fake server. */
export function testConfig(modelServer: string, botApi: string, outside: string, platforms: string) {
  const wire = (api: string) => ({ baseUrl: `${modelServer}/v1`, api });
  return {
    agents: {
      defaults: {
        model: "fake/default",
        maxConcurrent: { cron: 2 },
        // Workers AI is bound, but does not answer outside of Cloudflare.
        // What the queue does meanwhile is in the way of tests that count.
        memorySearch: { provider: "local", sync: { onSessionStart: false } },
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
    security: { egress: { allowPrivate: [new URL(outside).host], trusted: [new URL(outside).host] } },
    commands: {
      ownerAllowFrom: [
        "telegram:42",
        "telegram:43",
        "telegram:44",
        "telegram:45",
        "slack:U0FLOWOWNER",
        "feishu:ou_owner",
        "wecom:owner",
        "dingtalk:owner",
      ],
    },
    channels: {
      telegram: {
        accounts: {
          default: { apiBase: botApi, username: "isopod_bot", commandMenu: false, groups: { "-1005": {} } },
          blocks: { apiBase: botApi, username: "isopod_bot", commandMenu: false, blockStreaming: true },
        },
      },
      slack: { apiBase: `${platforms}/slack/flow/api`, groups: { C0FLOWCHAN: {} } },
      feishu: { domain: `${platforms}/feishu/flow` },
      wecom: { apiBase: `${platforms}/wecom/flow` },
      dingtalk: { apiBase: `${platforms}/dingtalk/flow`, oapiBase: `${platforms}/dingtalk/flow` },
    },
  };
}
