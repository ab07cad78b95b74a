import { describe, expect, test, vi } from "vitest";
import type { Delivery, Target } from "../../../src/channels/channel.ts";
import { telegram } from "../../../src/channels/telegram/telegram.ts";
import { makeBot, type TestBot } from "./test-bot.ts";

function send(bot: TestBot, text = "hello", target: Partial<Target> = {}): Promise<Delivery> {
  const part = { target: { ...bot.target, ...target }, text, deliveryId: "dlv_1" };
  return telegram.send(part, bot.context, AbortSignal.timeout(2_000));
}

function refusal(status: number, description: string) {
  return { status, body: { ok: false, error_code: status, description } };
}

describe("requests to Telegram", () => {
  test("a part is sent as HTML without link previews", async () => {
    const bot = makeBot();
    expect(await send(bot, "<b>hello</b>")).toEqual({ outcome: "delivered", externalId: "1001" });
    expect(await bot.calls()).toEqual([
      {
        method: "sendMessage",
        args: { chat_id: 77, text: "<b>hello</b>", parse_mode: "HTML", link_preview_options: { is_disabled: true } },
      },
    ]);
  });

  test("a reply is sent in its topic, even if the replied-to message is deleted", async () => {
    const bot = makeBot();
    await send(bot, "hello", { conversationId: "-1001234567890", threadId: "9", replyToId: "42" });
    const [call] = await bot.calls("sendMessage");
    expect(call?.args).toMatchObject({
      chat_id: -1_001_234_567_890,
      message_thread_id: 9,
      reply_parameters: { message_id: 42, allow_sending_without_reply: true },
    });
  });

  test("a public chat may be named", async () => {
    const bot = makeBot();
    await send(bot, "hello", { conversationId: "@notes" });
    expect((await bot.calls())[0]?.args.chat_id).toBe("@notes");
  });

  test("typing is shown in the same chat and topic", async () => {
    const bot = makeBot();
    await telegram.typing?.({ target: { ...bot.target, threadId: "9" } }, bot.context);
    expect(await bot.calls()).toEqual([
      { method: "sendChatAction", args: { chat_id: 77, message_thread_id: 9, action: "typing" } },
    ]);
  });
});

describe("markup that Telegram cannot parse", () => {
  test("is sent as plain text in the same delivery", async () => {
    const bot = makeBot();
    expect(await send(bot, "<b>1 &lt; 2</i> &amp; x < y")).toEqual({ outcome: "delivered", externalId: "1001" });
    const [, second] = await bot.calls("sendMessage");
    expect(second?.args).toEqual({ chat_id: 77, text: "1 < 2 & x < y", link_preview_options: { is_disabled: true } });
  });

  test("is retried as plain text only once", async () => {
    const bot = makeBot();
    const broken = refusal(400, "Bad Request: can't parse entities: Unexpected end tag at byte offset 3");
    await bot.script(broken, broken, broken);
    expect(await send(bot)).toMatchObject({ outcome: "failed" });
    expect(await bot.calls()).toHaveLength(2);
  });

  test("is unsure if the answer to the plain text is lost", async () => {
    const bot = makeBot();
    await bot.script(refusal(400, "Bad Request: can't parse entities: x"), { cut: "after" });
    expect(await send(bot)).toMatchObject({ outcome: "unsure" });
  });
});

describe("a refusal by Telegram", () => {
  test("with retry_after is retried after that time", async () => {
    const bot = makeBot();
    await bot.script({ retryAfter: 31 });
    expect(await send(bot)).toMatchObject({ outcome: "retry", afterMs: 31_000, reason: expect.stringContaining("31") });
  });

  test("by a server that never received the message is retried", async () => {
    for (const status of [503, 521, 523, 525, 526, 530]) {
      const bot = makeBot();
      await bot.script({ status, body: "<html>not now</html>" });
      expect(await send(bot), String(status)).toMatchObject({ outcome: "retry", afterMs: 10_000 });
    }
  });

  test("for good names the cause and the setting to check", async () => {
    const reasons: [status: number, description: string, reason: RegExp][] = [
      [400, "Bad Request: chat not found", /refused the message: Bad Request: chat not found/],
      [400, "Bad Request: message thread not found", /message thread not found/],
      [401, "Unauthorized", /check BOT_TOKEN/],
      [403, "Forbidden: bot was blocked by the user", /may not write there.*blocked by the user/],
      [404, "Not Found", /check BOT_TOKEN/],
    ];
    for (const [status, description, reason] of reasons) {
      const bot = makeBot();
      await bot.script(refusal(status, description));
      const delivery = await send(bot);
      expect(delivery).toEqual({ outcome: "failed", reason: expect.stringMatching(reason) });
      expect(await bot.calls()).toHaveLength(1);
    }
  });

  test("by a redirect is not followed, so that no other host receives the message", async () => {
    const [bot, elsewhere] = [makeBot(), makeBot()];
    const location = `${bot.context.account.apiBase}/bot${elsewhere.token}/sendMessage`;
    await bot.script({ status: 307, body: "", location });
    expect(await send(bot)).toMatchObject({ outcome: "failed", reason: expect.stringContaining("307") });
    expect(await elsewhere.calls()).toEqual([]);
  });
});

describe("an ambiguous Telegram delivery", () => {
  test("is unsure after Telegram's own errors, which can follow a sent message", async () => {
    for (const status of [500, 502, 504, 520, 522, 524]) {
      const bot = makeBot();
      await bot.script(refusal(status, "Internal Server Error: restart"));
      expect(await send(bot), String(status)).toMatchObject({ outcome: "unsure" });
      expect(await bot.calls()).toHaveLength(1);
    }
  });

  test("is unsure if the answer is truncated, unreadable or missing", async () => {
    for (const answer of [
      { cut: "before" },
      { cut: "after" },
      { status: 200, body: "<html>" },
      { hang: true },
    ] as const) {
      const bot = makeBot();
      await bot.script(answer);
      const part = { target: bot.target, text: "hello", deliveryId: "dlv_1" };
      expect(await telegram.send(part, bot.context, AbortSignal.timeout(300))).toMatchObject({ outcome: "unsure" });
    }
  });

  test("is unsure if the connection fails, since fetch does not say at which point", async () => {
    const bot = makeBot({ apiBase: "http://127.0.0.1:9" });
    expect(await send(bot)).toMatchObject({ outcome: "unsure" });
  });

  test("is delivered if Telegram confirms it without an id", async () => {
    const bot = makeBot();
    await bot.script({ body: { ok: true, result: true } });
    expect(await send(bot)).toEqual({ outcome: "delivered" });
  });
});

describe("the Telegram bot's token", () => {
  test("is never in an outcome, even if the response repeats it", async () => {
    const bot = makeBot();
    const half = bot.token.split(":")[1]!;
    await bot.script(refusal(400, `no such path /bot${bot.token}/sendMessage, nor ${half}`));
    const delivery = JSON.stringify(await send(bot));
    expect(delivery).toContain("no such path");
    expect(delivery).not.toContain(half);
  });

  test("is never in an outcome or log when the connection fails", async () => {
    const bot = makeBot();
    bot.context.fetch = () => Promise.reject(new TypeError(`cannot reach https://x/bot${bot.token}/sendMessage`));
    const written: unknown[] = [];
    const spies = (["debug", "info", "warn", "error", "log"] as const).map((level) =>
      vi.spyOn(console, level).mockImplementation((...line: unknown[]) => void written.push(line)),
    );
    const delivery = await send(bot);
    await telegram.typing?.({ target: bot.target }, bot.context);
    for (const spy of spies) spy.mockRestore();
    expect(written).toHaveLength(1);
    expect(JSON.stringify([delivery, written])).not.toContain(bot.token.split(":")[1]);
  });

  test("is not sent if it could change the address", async () => {
    const bot = makeBot({}, { BOT_TOKEN: "1:a/../../evil?x=" });
    expect(await send(bot)).toMatchObject({ outcome: "failed", reason: expect.stringContaining("BOT_TOKEN") });
  });
});
