import { describe, expect, inject, test } from "vitest";
import { telegram } from "../../../src/channels/telegram/telegram.ts";
import { makeBot } from "./test-bot.ts";

const hello = {
  update_id: 1,
  message: {
    message_id: 5,
    from: { id: 77, is_bot: false, first_name: "Ada" },
    chat: { id: 77, type: "private", first_name: "Ada" },
    date: 1_700_000_000,
    text: "hello",
  },
};

interface SignatureVector {
  scheme: string;
  name: string;
  secret: string;
  headers: Record<string, string>;
  body: string;
  valid: boolean;
}

test.skipIf(!inject("fixtures"))("every recorded signature is judged as it was recorded", async () => {
  const response = await fetch(`${inject("modelServer")}/fixtures/webhooks/vectors.json`);
  const { vectors: all } = await response.json<{ vectors: SignatureVector[] }>();
  const vectors = all.filter((vector) => vector.scheme === "telegram");
  expect(vectors).not.toEqual([]);
  for (const vector of vectors) {
    const bot = makeBot({}, { HOOK_SECRET: vector.secret });
    const received = await telegram.receive(bot.update(vector.body, vector.headers), bot.context);
    expect(received.kind, vector.name).toBe(vector.valid ? "events" : "refused");
    if (received.kind === "refused") expect(received.response.status, vector.name).toBe(401);
  }
});

describe("a call of the Telegram webhook", () => {
  test("is refused for an empty secret, even if the configured one is empty", async () => {
    const bot = makeBot({}, { HOOK_SECRET: "" });
    for (const headers of [{ "X-Telegram-Bot-Api-Secret-Token": "" }, {}]) {
      const received = await telegram.receive(bot.update(hello, headers), bot.context);
      expect(received).toMatchObject({ kind: "refused", response: { status: 401 } });
    }
  });

  test("has its body read only after the size and the secret are checked", async () => {
    const bot = makeBot();
    const known = { "X-Telegram-Bot-Api-Secret-Token": bot.webhookSecret };
    for (const [status, headers] of [
      [413, { ...known, "Content-Length": "1048577" }],
      [401, {}],
    ] as const) {
      let read = 0;
      const body = new ReadableStream<Uint8Array>({ pull: () => void read++ }, { highWaterMark: 0 });
      const request = new Request(bot.update(hello).url, { method: "POST", headers, body });
      expect(await telegram.receive(request, bot.context)).toMatchObject({ response: { status } });
      expect(read).toBe(0);
    }
  });

  test("is answered with the invalid field of the update", async () => {
    const bot = makeBot();
    const received = await telegram.receive(bot.update({ update_id: 1, message: { chat: { id: 1 } } }), bot.context);
    if (received.kind !== "refused") throw new Error("expected a refusal");
    expect(received.response.status).toBe(400);
    expect(await received.response.text()).toContain("message_id");
  });

  test("is answered 503 while the bot's token is not set", async () => {
    const bot = makeBot({}, { BOT_TOKEN: undefined });
    const received = await telegram.receive(bot.update(hello), bot.context);
    if (received.kind !== "refused") throw new Error("expected a refusal");
    expect(received.response.status).toBe(503);
    expect(await received.response.text()).toContain("BOT_TOKEN");
  });
});

describe("a Telegram account", () => {
  const least = { botToken: { source: "env", id: "BOT_TOKEN" }, webhookSecret: { source: "env", id: "HOOK_SECRET" } };

  test("is restrictive by default: pairing, no groups, and only when addressed", () => {
    expect(telegram.account.parse(least)).toEqual({
      ...least,
      apiBase: "https://api.telegram.org",
      dmPolicy: "pairing",
      allowFrom: [],
      groupPolicy: "allowlist",
      groups: {},
      allowBots: false,
      deliveries: { atLeastOnce: false },
      reactionLevel: "minimal",
      commandMenu: true,
      replyToMode: "off",
      requireMention: true,
    });
  });

  test("accepts secrets by reference only, and web addresses only", () => {
    expect(telegram.account.safeParse({ ...least, botToken: "123:abc" }).success).toBe(false);
    expect(telegram.account.safeParse({ ...least, apiBase: "file:///etc" }).success).toBe(false);
    expect(telegram.account.safeParse({ ...least, username: "@bot" }).success).toBe(false);
    expect(telegram.account.safeParse({ ...least, groups: { "-1": { speak: true } } }).error?.message).toContain(
      "speak",
    );
  });
});
