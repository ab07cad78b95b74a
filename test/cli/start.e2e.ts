import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cp, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Command, endCommands } from "./command.ts";
import { freePort } from "./free-port.ts";

const SOURCE = fileURLToPath(new URL("../../src", import.meta.url));

let folder: string;
let port: number;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "isopod-start-"));
  port = await freePort();
});
afterEach(endCommands);
after(() => rm(folder, { recursive: true, force: true }));

test("a first start makes a token that only its owner can read, and prints all that one needs", async () => {
  await writeFile(vars(), "OPENAI_MODEL=kept");
  const isopod = start();
  await isopod.says("Ctrl-C ends it");
  const token = /^ISOPOD_TOKEN=(iso_\S{32})$/m.exec(await readFile(vars(), "utf8"))?.[1];
  assert.ok(token, "the token is in the file of variables");
  assert.match(await readFile(vars(), "utf8"), /^OPENAI_MODEL=kept$/m);
  assert.equal((await stat(vars())).mode & 0o777, 0o600);
  for (const part of [`http://127.0.0.1:${port}\n`, token, `/#token=${token}\n`, "offline/rules"]) {
    assert.ok(isopod.out.includes(part), `it prints ${part}`);
  }
  assert.equal(isopod.err, "", "wrangler has nothing to say");

  const line = isopod.out.split("\n").find((printed) => printed.trim().startsWith("curl"));
  const curl = Command.paste(line!);
  assert.equal(await curl.ended, 0);
  assert.match(curl.out, /"phase":"message"/);
  assert.match(curl.out, /"phase":"end"/);

  const chat = Command.run("chat", ["--url", `http://127.0.0.1:${port}`, "--vars", vars(), "Hello"]);
  assert.equal(await chat.ended, 0);
  assert.ok(chat.out.length > 10, "the terminal has a reply too");

  const runId = /"runId":"(run_\w+)"/.exec(curl.out)?.[1] ?? "";
  const sent = await shown("--run", runId);
  assert.equal(await shown(), sent, "what a look shows is what the model was sent");
  assert.match(sent, /^You are a personal assistant.*\n\n<!-- ISOPOD_CACHE_BOUNDARY -->\n\n.*## Runtime\n[^\n]*\n$/s);
  const sections = await shown("--sections", "--channel", "telegram", "--sender", "other");
  assert.match(sections, /^safety +\d+ +\d+ +\d+ {2}src\/prompt\/sections\/conduct\.ts$/m);
  assert.match(sections, /^SOUL\.md +\d+ +\d+$/m);
  const wrong = prompt("--channel", "pigeon");
  assert.equal(await wrong.ended, 1);
  assert.match(wrong.err, /^channel: 'pigeon' has no account\nConfigured: telegram\/default, .*\.\n$/);

  const second = start();
  assert.equal(await second.ended, 1);
  assert.match(
    second.err,
    new RegExp(`^Isopod already runs at http://127.0.0.1:${port}\\.\nChoose another port: npm start -- --port \\d+\n$`),
  );

  isopod.signal("SIGINT");
  assert.equal(await isopod.ended, 0);
  assert.equal(isopod.err, "");
  await close(await listenOn(port));
});

test("a later start has the same token and the same conversation", async () => {
  const before = await readFile(vars(), "utf8");
  const isopod = start();
  await isopod.says("Ctrl-C ends it");
  assert.equal(await readFile(vars(), "utf8"), before);
  const token = /ISOPOD_TOKEN=(.*)/.exec(before)?.[1];
  const key = encodeURIComponent("agent:main:main");
  const answer = await fetch(`http://127.0.0.1:${port}/v1/sessions/${key}/history`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { messages } = (await answer.json()) as { messages: { role: string }[] };
  assert.deepEqual(
    messages.filter((message) => message.role === "user").map((message) => "text" in message && message.text),
    ["Hello", "Hello"],
  );
  isopod.signal("SIGTERM");
  assert.equal(await isopod.ended, 0);
});

test("a second start over the same data is refused, on whatever port", async () => {
  const isopod = start();
  await isopod.says("Ctrl-C ends it");
  const other = await freePort();
  const second = Command.run("start", [
    ...["--port", String(other), "--persist-to", join(folder, "state"), "--vars", vars()],
  ]);
  assert.equal(await second.ended, 1);
  assert.match(
    second.err,
    /^Isopod already runs over .*: process \d+, port \d+\.\nEnd it first, .*--persist-to <dir>\n$/,
  );
  isopod.signal("SIGTERM");
  assert.equal(await isopod.ended, 0);
});

test("local databases that are gone are made anew, with word of what was lost", async () => {
  await rm(join(folder, "state", "v3", "d1"), { recursive: true });
  const isopod = start();
  await isopod.says("Ctrl-C ends it");
  assert.match(isopod.err, /^The local databases were gone and are made anew\. Sessions, /);
  isopod.signal("SIGTERM");
  assert.equal(await isopod.ended, 0);
});

test("the lock of a program that was killed does not count", async () => {
  const killed = spawnSync(process.execPath, ["--version"]);
  const lock = { pid: killed.pid, port, at: Date.now() };
  await writeFile(join(folder, "state", "isopod.lock"), JSON.stringify(lock));
  const isopod = start();
  await isopod.says("Ctrl-C ends it");
  assert.equal(isopod.err, "");
  isopod.signal("SIGTERM");
  assert.equal(await isopod.ended, 0);
});

test("a port that another program has is named, with one to use instead", async (t) => {
  const taken = await freePort();
  const other = await listenOn(taken);
  t.after(() => close(other));
  const isopod = Command.run("start", ["--persist-to", join(folder, "other"), "--vars", vars()], {
    PORT: String(taken),
  });
  assert.equal(await isopod.ended, 1);
  assert.match(
    isopod.err,
    new RegExp(`^Port ${taken} is in use by another program\\.\nChoose another port: npm start -- --port \\d+\n$`),
  );
});

test("a port that is none is refused", async () => {
  const isopod = Command.run("start", ["--port", "eighty", "--vars", vars()]);
  assert.equal(await isopod.ended, 1);
  assert.equal(isopod.err, "'eighty' is not a port. Use a number from 1 to 65535.\n");
});

test("without the packages it says how to install them", async () => {
  const bare = join(folder, "bare");
  for (const room of ["cli", "client"]) {
    await cp(join(SOURCE, room), join(bare, "src", room), { recursive: true });
  }
  const isopod = Command.run("start", ["--port", String(port), "--vars", vars()], {}, bare);
  assert.equal(await isopod.ended, 1);
  assert.equal(isopod.err, "The packages are not installed yet. Run: npm ci\n");
});

function prompt(...args: string[]): Command {
  return Command.run("prompt", ["--url", `http://127.0.0.1:${port}`, "--vars", vars(), ...args]);
}

/** What the command shows. */
async function shown(...args: string[]): Promise<string> {
  const command = prompt(...args);
  assert.equal(await command.ended, 0, command.err);
  return command.out;
}

function start(): Command {
  return Command.run("start", ["--port", String(port), "--persist-to", join(folder, "state"), "--vars", vars()]);
}

function vars(): string {
  return join(folder, ".dev.vars");
}

async function listenOn(wanted: number): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(wanted, "127.0.0.1", resolve);
  });
  return server;
}

async function close(server: Server): Promise<void> {
  await new Promise((resolve) => server.close(resolve));
}
