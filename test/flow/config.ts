import { LINE_TOKEN } from "../fakes/platforms/line.ts";
import { TWILIO_NUMBER, TWILIO_SID, TWILIO_TOKEN } from "../fakes/platforms/sms.ts";
import { WHATSAPP_TOKEN } from "../fakes/platforms/whatsapp.ts";

/**
 * Tokens by which the system prompt and the tools have grown since the tests of long conversations were written, with the
 * quarter of a window that stays free: where these grow again, so does this.
 */
const GROWN = 3250;

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

/** Secrets of the channels of the Worker under test, whose platforms have a place called `flow`. */
export const channelSecrets = {
  SLACK_BOT_TOKEN: "xoxb-flow-1",
  SLACK_SIGNING_SECRET: "flow-signing-secret",
  WHATSAPP_ACCESS_TOKEN: WHATSAPP_TOKEN,
  WHATSAPP_APP_SECRET: "flow-app-secret",
  WHATSAPP_VERIFY_TOKEN: "flow-verify-token",
  TWILIO_ACCOUNT_SID: TWILIO_SID,
  TWILIO_AUTH_TOKEN: TWILIO_TOKEN,
  LINE_CHANNEL_SECRET: "flow-channel-secret",
  LINE_CHANNEL_ACCESS_TOKEN: LINE_TOKEN,
  DISCORD_BOT_TOKEN: "MTAwMA.flow.secret-of-the-flow",
  DISCORD_PUBLIC_KEY: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
  /** What the fake Discord knows as no bot's. */
  DISCORD_WRONG_TOKEN: "wrong",
  MSTEAMS_APP_ID: "app-of-flow",
  MSTEAMS_APP_PASSWORD: "password-of-flow",
  GOOGLE_CHAT_AUDIENCE: "https://isopod.test/channels/googlechat/default/webhook",
  GOOGLE_CHAT_SERVICE_ACCOUNT: "",
  GITHUB_WEBHOOK_SECRET: "hook-of-flow",
  GITHUB_APP_ID: "12345",
  GITHUB_APP_PRIVATE_KEY: "",
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
export function testConfig(modelServer: string, botApi: string, outside: string, platforms: string, media: string) {
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
        media: { baseUrl: `${media}/v1`, api: "openai-completions" },
      },
    },
    // Workers AI, which does not answer here, would be asked otherwise.
    tools: { media: { audio: { enabled: false } } },
    security: {
      egress: {
        allowPrivate: [new URL(outside).host, new URL(platforms).host],
        trusted: [new URL(outside).host],
      },
    },
    commands: {
      ownerAllowFrom: [
        ...[42, 43, 44, 45].map((id) => `telegram:${id}`),
        "slack:U0FLOWOWNER",
        "whatsapp:15550000042",
        "discord:420",
        `line:U${"42".repeat(16)}`,
        "feishu:ou_1",
        "wecom:person-1",
        "dingtalk:person-1",
        "googlechat:users/1",
        "msteams:00000000-0000-4000-8000-000000000001",
        "github:1",
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
      whatsapp: {
        apiBase: `${platforms}/whatsapp/flow`,
        phoneNumberId: "100000000000001",
        dmPolicy: "open",
        templates: { reopen: { name: "reopen_first", parameter: "1" } },
      },
      line: {
        apiBase: `${platforms}/line/flow`,
        dataApiBase: `${platforms}/line/flow`,
        dmPolicy: "open",
        groupPolicy: "open",
      },
      sms: { apiBase: `${platforms}/sms/flow`, from: TWILIO_NUMBER, dmPolicy: "open" },
      discord: { accounts: { default: { apiBase: `${platforms}/discord/flow`, groups: { "501": {} } } } },
      msteams: {
        serviceUrl: `${platforms}/msteams/flow/`,
        loginUrl: `${platforms}/msteams/flow/login`,
        openIdUrl: `${platforms}/msteams/flow/openid`,
        dmPolicy: "open",
      },
      googlechat: {
        apiBase: `${platforms}/googlechat/flow`,
        tokenUrl: `${platforms}/googlechat/flow/token`,
        keysBase: `${platforms}/googlechat/flow`,
        dmPolicy: "open",
      },
      github: { apiBase: `${platforms}/github/flow`, groups: { "octo/*": {} } },
      email: {
        accounts: {
          default: { addresses: ["agent@agent.example"] },
          open: { addresses: ["open@agent.example"], dmPolicy: "open" },
          listed: { addresses: ["listed@agent.example"], dmPolicy: "allowlist", allowFrom: ["bob@example.org"] },
        },
      },
      webchat: {
        accounts: {
          default: { allowedOrigins: ["https://shop.example"], title: "The shop", greeting: "How can I help?" },
          other: { allowedOrigins: ["https://shop.example"] },
          off: {},
        },
      },
      webhook: {
        accounts: {
          default: { replyUrl: `${platforms}/webhook/flow/replies` },
          unguarded: { replyUrl: "http://127.0.0.1:9000/replies" },
        },
      },
      feishu: { domain: `${platforms}/feishu/flow`, dmPolicy: "open" },
      wecom: { apiBase: `${platforms}/wecom/flow`, dmPolicy: "open" },
      dingtalk: { apiBase: `${platforms}/dingtalk/flow`, oapiBase: `${platforms}/dingtalk/flow`, dmPolicy: "open" },
    },
  };
}
