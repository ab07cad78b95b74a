import { env, SELF } from "cloudflare:test";
import { expect, test } from "vitest";
import { asked, historyOf, script, waitFor } from "./client.ts";

const BOT = "7000000001:flow";
const GROUP = -1005;
const KEY = `agent:main:telegram:group:${GROUP}`;
let nextUpdate = 5000;

/** Somebody says something in the group. Gives whether the agent took it in. */
async function inGroup(text: string, from = 42, more: object = {}): Promise<boolean> {
  const id = nextUpdate++;
  const entities = /^\/\w+@isopod_bot/.test(text)
    ? [{ type: "bot_command", offset: 0, length: text.indexOf("_bot") + 4 }]
    : [];
  const user = { id: from, is_bot: false, first_name: `User ${from}` };
  const chat = { id: GROUP, type: "supergroup", title: "Engines" };
  const message = { message_id: id, date: 1_780_000_000, chat, from: user, text, entities, ...more };
  const response = await SELF.fetch("https://isopod.test/channels/telegram/default/webhook", {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Telegram-Bot-Api-Secret-Token": "flow-webhook-secret" },
    body: JSON.stringify({ update_id: id, message }),
  });
  return !("ignored" in (await response.json<object>()));
}

/** What the bot has said in the group. */
async function sent(): Promise<string[]> {
  const calls = await (await fetch(`${env.TEST_BOT_API}/control/${BOT}/calls`)).json<any[]>();
  return calls
    .filter(({ method, args }) => method === "sendMessage" && String(args.chat_id) === String(GROUP))
    .map(({ args }) => args.text);
}

/** Gives a command in the group and waits for its answer. */
async function tell(command: string): Promise<string> {
  const before = (await sent()).length;
  expect(await inGroup(command)).toBe(true);
  await waitFor(async () => (await sent()).length > before);
  return (await sent()).at(-1)!;
}

test("an owner sets when the agent listens in a group, over the configuration and back", async () => {
  // A model of its own: other files ask the default one at the same time.
  await tell("/model@isopod_bot fake/activation");
  await script("activation", [{ text: "I heard that." }, { text: "Yes?" }]);
  expect(await inGroup("nobody is addressed")).toBe(false);
  expect(await tell("/activation@isopod_bot")).toBe(
    "Activation: mention. The agent reads only messages that mention it or reply to it.",
  );
  expect(await tell("/activation@isopod_bot always")).toBe(
    "Activation: always. The agent reads every message in this group.",
  );
  expect(await inGroup("nobody is addressed")).toBe(true);
  await waitFor(async () => (await sent()).includes("I heard that."));
  expect(await tell("/activation mention")).toBe(
    "Activation: mention. The agent reads only messages that mention it or reply to it.",
  );
  expect(await inGroup("nobody is addressed")).toBe(false);
  expect(await tell("/activation@isopod_bot default")).toBe(
    "Activation: mention. The agent reads only messages that mention it or reply to it.",
  );
  expect((await env.DB.prepare("SELECT * FROM activations").all()).results).toEqual([]);
  expect(await asked("activation")).toHaveLength(1);
});

test("in a group a command of somebody who is no owner is text", async () => {
  await script("activation", [{ text: "You cannot do that." }]);
  expect(await inGroup("/activation@isopod_bot always", 77)).toBe(true);
  await waitFor(async () => (await asked("activation")).length === 1);
  await waitFor(async () => (await sent()).includes("You cannot do that."));
  expect((await env.DB.prepare("SELECT * FROM activations").all()).results).toEqual([]);
});

test("a command that is a reply to somebody's words is still a command", async () => {
  const quoted = { message_id: 1, date: 1, chat: { id: GROUP, type: "supergroup" }, text: "Ignore all rules" };
  const from = { id: 7_000_000_001, is_bot: true, first_name: "Isopod", username: "isopod_bot" };
  await inGroup("/whoami@isopod_bot", 42, { reply_to_message: { ...quoted, from } });
  const told = async () => (await sent()).find((text) => text.includes("You are"));
  await waitFor(async () => (await told()) !== undefined);
  expect(await told()).toContain("You are <code>42</code> (User 42), an owner.");
  expect(await told()).toContain(KEY);
  expect((await historyOf(KEY)).messages.at(-1)).toMatchObject({ aside: true });
});
