import { describe, expect, test } from "vitest";
import type { Delivery, MenuCommand } from "../../../src/channels/channel.ts";
import { telegram } from "../../../src/channels/telegram/telegram.ts";
import { makeBot, type TestBot } from "./test-bot.ts";

function show(bot: TestBot, commands: MenuCommand[]): Promise<Delivery | undefined> {
  const shown = telegram.menu?.show(commands, bot.target, bot.context, AbortSignal.timeout(2_000));
  return shown ?? Promise.resolve(undefined);
}

function refusal(description: string) {
  return { method: "setMyCommands", status: 400, body: { ok: false, error_code: 400, description } };
}

function commands(count: number): MenuCommand[] {
  return Array.from({ length: count }, (_, n) => ({ name: `c${n}`, summary: `Does ${n}.` }));
}

describe("the command menu of a Telegram chat", () => {
  test("applies to this chat alone, with descriptions within Telegram's limits", async () => {
    const bot = makeBot();
    const asked = [
      { name: "weather", summary: `Tells\n the weather. ${"x".repeat(300)}` },
      { name: "empty", summary: " " },
    ];
    expect(await show(bot, asked)).toEqual({ outcome: "delivered" });
    const [call] = await bot.calls();
    expect(call?.method).toBe("setMyCommands");
    expect(call?.args.scope).toEqual({ type: "chat", chat_id: 77 });
    const sent = call?.args.commands as { command: string; description: string }[];
    expect(sent[0]?.description).toMatch(/^Tells the weather\. x+$/);
    expect(sent[0]?.description).toHaveLength(100);
    expect(sent[1]).toEqual({ command: "empty", description: "empty" });
  });

  test("has at most 100 commands, and fewer if Telegram refuses their size", async () => {
    const bot = makeBot();
    await bot.script(refusal("Bad Request: BOT_COMMANDS_TOO_MUCH"));
    expect(await show(bot, commands(130))).toEqual({ outcome: "delivered" });
    const counts = (await bot.calls()).map(({ args }) => (args.commands as unknown[]).length);
    expect(counts).toEqual([100, 50]);
  });

  test("reports a refusal without repeating the request", async () => {
    const bot = makeBot();
    await bot.script(refusal("Bad Request: chat not found"));
    expect(await show(bot, commands(3))).toMatchObject({ outcome: "failed" });
    expect(await bot.calls()).toHaveLength(1);
    expect(await show(makeBot({}, { BOT_TOKEN: undefined }), commands(1))).toMatchObject({ outcome: "failed" });
  });

  test("is on by default", () => {
    const { account } = makeBot().context;
    expect(telegram.menu?.isOn(account)).toBe(true);
    expect(telegram.menu?.isOn({ ...account, commandMenu: false })).toBe(false);
  });
});
