import { beforeAll, expect, test } from "vitest";
import { chatOf, hear, settled } from "./chats.ts";
import { asked, call, env, historyOf, script, waitFor } from "./client.ts";
import { putOutside } from "./outside.ts";
import { configure, session } from "./session-lab.ts";

const ROOT = "agents/main/workspace/skills/";

beforeAll(async () => {
  const put = (folder: string, front: string, text: string) =>
    putOutside(`${ROOT}${folder}/SKILL.md`, `---\n${front}\n---\n${text}\n`);
  await put("tianqi", "name: 天气\ndescription: 告诉你天气。", "看 {baseDir}/城市.txt。");
  await put("sh", "name: sh\ndescription: Runs a line.\ncommand-dispatch: tool\ncommand-tool: exec", "");
  await put("old-sh", "name: old-sh\ndescription: Runs a line.\ncommand-dispatch: tool\ncommand-tool: bash", "");
});

test("a Telegram chat invokes a skill by its Chinese name or its menu name", async () => {
  const [name, chat] = ["chat-skill", chatOf(4201)];
  await script(name, [{ text: "晴。" }, { text: "雨。" }]);
  expect(await settled(await hear(name, chat, "/天气 北京"), chat)).toEqual(["晴。"]);
  expect(await settled(await hear(name, chat, "/tianqi@isopod_bot 上海"), chat)).toEqual(["晴。", "雨。"]);
  const requests = await asked(name);
  for (const [at, city] of ["北京", "上海"].entries()) {
    const note = requests[at]?.body.messages.at(-1).content;
    expect(note).toContain("看 /workspace/skills/tianqi/城市.txt。");
    expect(note).toContain(`What was typed after the command:\n${city}`);
  }
  const { messages } = await historyOf(session(name).sessionKey);
  const typed = messages.filter(({ role }) => role === "user").map(({ text }) => text);
  expect(typed).toEqual(["/天气 北京", "/tianqi@isopod_bot 上海"]);
});

test("a chat command dispatched to exec runs the typed text and returns its output", async () => {
  const [name, chat] = ["chat-exec", chatOf(4202)];
  const [said = ""] = await settled(await hear(name, chat, "/sh echo 你好 > chat-exec.txt && cat chat-exec.txt"), chat);
  expect(said).toContain("你好");
  expect(await (await call("GET", "/v1/agents/main/workspace/chat-exec.txt")).text()).toBe("你好\n");
  const [, failed = ""] = await settled(await hear(name, chat, "/old_sh cat nothing.txt"), chat);
  expect(failed).toContain("nothing.txt");
  const [, , empty = ""] = await settled(await hear(name, chat, "/sh"), chat);
  expect(empty).toContain("needs to be told what to do");
  expect(await asked(name)).toHaveLength(0);
});

test("an unusable skill command is answered in the chat without a model", async () => {
  const [name, chat] = ["chat-refused", chatOf(4203)];
  const said = await settled(await hear(name, chat, "/skill 天起"), chat);
  expect(said[0]).toMatch(/^There is no skill <code>天起<\/code>\./);
  const list = (await settled(await hear(name, chat, "／skill"), chat))[1];
  expect(list).toContain("/tianqi (天气): 告诉你天气。");
  expect(await asked(name)).toHaveLength(0);
});

/** The menus that a chat was given, each as the names in it. */
async function menusOf(chat: number): Promise<string[][]> {
  const calls = await (await fetch(`${env.TEST_BOT_API}/control/7000000001:flow/calls`)).json<any[]>();
  const own = calls.filter(({ method, args }) => method === "setMyCommands" && args.scope.chat_id === chat);
  return own.map(({ args }) => args.commands.map(({ command }: { command: string }) => command));
}

/** Telegram's account with its menu on. */
function withMenu(config: any) {
  const { accounts } = config.channels.telegram;
  const telegram = { accounts: { ...accounts, default: { ...accounts.default, commandMenu: true } } };
  return { ...config, channels: { ...config.channels, telegram } };
}

test("an owner's chat gets a command menu with skills, sent again only when the list changes", async () => {
  const [name, chat] = ["chat-menu", chatOf(4204)];
  await configure(name, withMenu);
  const description = "Waters.";
  await settled(await hear(name, chat, "/skill"), chat);
  expect(await menusOf(4204)).toEqual([]);
  await settled(await hear(name, chat, "/skill nope"), chat);
  await waitFor(async () => (await menusOf(4204)).length === 1);
  const [menu] = await menusOf(4204);
  expect(menu).toEqual(expect.arrayContaining(["help", "skill", "subagents", "tianqi", "sh", "old_sh"]));
  expect(menu?.every((command) => /^[a-z0-9_]{1,32}$/.test(command))).toBe(true);
  await settled(await hear(name, chat, "/skill nope"), chat);
  await call(
    "PUT",
    "/v1/agents/main/workspace/skills/garden/SKILL.md",
    `---\nname: garden\ndescription: ${description}\n---\n`,
  );
  await settled(await hear(name, chat, "/skill nope"), chat);
  await waitFor(async () => (await menusOf(4204)).length === 2);
  expect((await menusOf(4204))[1]).toContain("garden");
  await call("DELETE", "/v1/agents/main/workspace/skills/garden/SKILL.md");
});

test("a refused command menu fails no turn and is retried only when the list changes", async () => {
  const [name, chat] = ["chat-refused-menu", chatOf(4205)];
  const bot = `${env.TEST_BOT_API}/control/7000000002:menu`;
  await configure(name, withMenu, { TELEGRAM_BOT_TOKEN: "7000000002:menu" });
  const body = { ok: false, error_code: 400, description: "Bad Request: no" };
  const answers = [{ method: "setMyCommands", status: 400, body }];
  await fetch(bot, { method: "PUT", body: JSON.stringify({ answers }) });
  const methods = async () => (await (await fetch(`${bot}/calls`)).json<any[]>()).map(({ method }) => method);
  const count = async (method: string) => (await methods()).filter((made) => made === method).length;
  await hear(name, chat, "/skill nope");
  await waitFor(async () => (await count("setMyCommands")) === 1 && (await count("sendMessage")) === 1);
  await hear(name, chat, "/skill nope");
  await waitFor(async () => (await count("sendMessage")) === 2);
  await hear(name, chat, "/skill nope");
  await waitFor(async () => (await count("sendMessage")) === 3);
  expect(await count("setMyCommands")).toBe(1);
});
