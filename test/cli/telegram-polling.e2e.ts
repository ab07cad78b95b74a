import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { startBotApi } from "../fakes/bot-api.ts";
import type { LocalServer } from "../fakes/listen.ts";
import { Command, endCommands } from "./command.ts";
import { freePort } from "./free-port.ts";

const TOKEN = "8100000001:polling";

let folder: string;
let port: number;
let botApi: LocalServer;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "isopod-polling-"));
  port = await freePort();
  botApi = await startBotApi();
  const config = { channels: { telegram: { apiBase: botApi.url, dmPolicy: "open" } } };
  await writeFile(vars(), `TELEGRAM_BOT_TOKEN=${TOKEN}\nISOPOD_CONFIG='${JSON.stringify(config)}'\n`);
});
afterEach(endCommands);
after(async () => {
  await botApi.close();
  await rm(folder, { recursive: true, force: true });
});

const vars = () => join(folder, "vars");
const control = () => `${botApi.url}/control/${TOKEN}`;

function start(...options: string[]): Command {
  return Command.run("start", [
    "--port",
    String(port),
    "--persist-to",
    join(folder, "state"),
    "--vars",
    vars(),
    ...options,
  ]);
}

async function tell(told: object): Promise<void> {
  await fetch(control(), { method: "PUT", body: JSON.stringify(told) }).then((response) => response.text());
}

async function calls(method: string): Promise<{ args: Record<string, any> }[]> {
  const all = (await fetch(`${control()}/calls`).then((response) => response.json())) as any[];
  return all.filter((call) => call.method === method);
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 60_000; !(await isSo()); ) {
    assert.ok(Date.now() < end, "it happens within a minute");
    await new Promise((next) => setTimeout(next, 50));
  }
}

function update(id: number, text: string) {
  const user = { id: 501, is_bot: false, first_name: "Ada" };
  const message = { message_id: id, date: 1, chat: { id: 501, type: "private" }, from: user, text };
  return { update_id: id, message };
}

test("with a bot's token alone, a bot answers on a machine that Telegram cannot call, and the first owner gets a link", async () => {
  await tell({ updates: [update(11, "Hello"), update(12, "/whoami")] });
  const isopod = start();
  await isopod.says("Ctrl-C ends it");
  await until(async () => (await calls("sendMessage")).length >= 2);
  assert.match(isopod.err, /gets its messages by asking Telegram/);
  assert.match(isopod.err, /Open https:\/\/t\.me\/\S+\?start=[0-9a-z]{26} within an hour/);
  assert.ok(!isopod.err.includes(TOKEN), "the token is not printed");
  // The number of the next one is told only after the webhook has taken what was there.
  await until(async () => (await calls("getUpdates")).some(({ args }) => args.offset === 13));
  isopod.signal("SIGINT");
  assert.equal(await isopod.ended, 0);
});

test("where Telegram calls another address it is left alone and named, and --take-over brings the messages here", async () => {
  await tell({ webhook: { url: "https://elsewhere.example/hook" }, updates: [update(13, "Are you there?")] });
  const before = (await calls("getUpdates")).length;
  const first = start();
  await first.says("Ctrl-C ends it");
  await until(async () => first.err.includes("https://elsewhere.example/hook"));
  assert.match(first.err, /npm start -- --take-over brings them here/);
  assert.equal((await calls("getUpdates")).length, before);
  first.signal("SIGINT");
  await first.ended;

  const answered = (await calls("sendMessage")).length;
  const second = start("--take-over");
  await second.says("Ctrl-C ends it");
  await until(async () => (await calls("sendMessage")).length > answered);
  assert.equal((await calls("deleteWebhook")).length, 1);
  second.signal("SIGINT");
  await second.ended;
});
