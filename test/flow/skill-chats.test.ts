import { beforeAll, expect, test } from "vitest";
import { chatOf, hear, settled } from "./chats.ts";
import { asked, call, env, historyOf, script } from "./client.ts";
import { session } from "./session-lab.ts";

const ROOT = "agents/main/workspace/skills/";

beforeAll(async () => {
  const put = (folder: string, front: string, text: string) =>
    env.FILES.put(`${ROOT}${folder}/SKILL.md`, `---\n${front}\n---\n${text}\n`);
  await put("tianqi", "name: 天气\ndescription: 告诉你天气。", "看 {baseDir}/城市.txt。");
  await put("sh", "name: sh\ndescription: Runs a line.\ncommand-dispatch: tool\ncommand-tool: exec", "");
  await put("old-sh", "name: old-sh\ndescription: Runs a line.\ncommand-dispatch: tool\ncommand-tool: bash", "");
});

test("in a Telegram chat a skill is called on by its Chinese name, or as Telegram's menu writes it", async () => {
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

test("a chat's command that goes to exec runs what was typed, and the chat gets the output", async () => {
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

test("what cannot be called on is answered in the chat without a model, also where nothing was said before", async () => {
  const [name, chat] = ["chat-refused", chatOf(4203)];
  const said = await settled(await hear(name, chat, "/skill 天起"), chat);
  expect(said[0]).toMatch(/^There is no skill <code>天起<\/code>\./);
  const list = (await settled(await hear(name, chat, "／skill"), chat))[1];
  expect(list).toContain("/tianqi (天气): 告诉你天气。");
  expect(await asked(name)).toHaveLength(0);
});
