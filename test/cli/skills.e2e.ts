import assert from "node:assert/strict";
import { createHash, createPublicKey, verify } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterEach, beforeEach, test } from "node:test";
import { unzipSync } from "fflate";
import { Command, endCommands } from "./command.ts";

const TOKEN = "skills-token";
const CHANGE = {
  name: "weather",
  version: "1.0.0",
  outcome: "installed",
  location: "skills/weather/SKILL.md",
  signature: { kind: "unsigned" },
  fileCount: 2,
  notes: [],
};

let server: Server;
let asked: { what: string; type: string | undefined; body: Buffer }[];
let answers: Map<string, { status?: number; body: unknown }>;
let folder: string;

beforeEach(async () => {
  asked = [];
  answers = new Map([["GET /v1/me", { body: { agentId: "main", model: "offline/rules", version: "0" } }]]);
  folder = await mkdtemp(join(tmpdir(), "isopod-skills-"));
  server = createServer(async (request, response) => {
    const isKnown = request.headers.authorization === `Bearer ${TOKEN}`;
    const what = `${request.method} ${request.url}`;
    asked.push({ what, type: request.headers["content-type"], body: await buffer(request) });
    const { status = 200, body } = answers.get(what) ?? {
      status: 404,
      body: { error: { code: "not_found", message: "There is no such skill.", hint: "List them." } },
    };
    response.writeHead(isKnown ? status : 401, { "content-type": "application/json" });
    response.end(JSON.stringify(isKnown ? body : { error: { code: "unauthorized", message: "No." } }));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  await mkdir(join(folder, "weather", "scripts"), { recursive: true });
  await mkdir(join(folder, "weather", ".git"));
  await writeFile(join(folder, "weather", "SKILL.md"), "---\nname: weather\ndescription: Tells it.\n---\nAsk.\n");
  await writeFile(join(folder, "weather", "scripts", "问.sh"), "echo 天气\n");
  await writeFile(join(folder, "weather", ".git", "config"), "mine");
  await writeFile(join(folder, "weather", ".DS_Store"), "x");
});

afterEach(async () => {
  await endCommands();
  await rm(folder, { recursive: true, force: true });
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});

function run(...args: string[]): Command {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Command.run("skills", ["--vars", join(folder, "none"), "--url", url, ...args], { ISOPOD_TOKEN: TOKEN });
}

const skills = "/v1/agents/main/skills";

test("a folder is packed in memory, without what systems leave behind, and installed", async () => {
  answers.set(`POST ${skills}`, { body: CHANGE });
  const command = run("install", join(folder, "weather"));
  assert.equal(await command.ended, 0, command.err);
  assert.match(command.out, /^weather 1\.0\.0: installed\.\n2 files/);
  const sent = asked.at(-1);
  assert.equal(sent?.type, "application/zip");
  const files = unzipSync(new Uint8Array(sent.body));
  assert.deepEqual(Object.keys(files).sort(), ["SKILL.md", "scripts/问.sh"]);
  assert.equal(new TextDecoder().decode(files["scripts/问.sh"]), "echo 天气\n");
});

test("an archive is sent as it is; an address and a slug are sent in words, to the agent that is named", async () => {
  const archive = join(folder, "weather.tar.gz");
  await writeFile(archive, Buffer.from([0x1f, 0x8b, 8, 0]));
  answers.set("POST /v1/agents/home/skills?global=true&replace=true", { body: CHANGE });
  answers.set("POST /v1/agents/home/skills", { body: CHANGE });
  assert.equal(await run("install", archive, "--agent", "home", "--global", "--replace").ended, 0);
  assert.equal(await run("install", "https://example.com/w.zip", "--agent", "home").ended, 0);
  assert.equal(await run("install", "weather@1.2.0", "--agent", "home").ended, 0);
  assert.deepEqual(
    asked.map(({ type }) => type),
    ["application/gzip", "application/json", "application/json"],
  );
  assert.deepEqual([...(asked[0]?.body ?? [])], [0x1f, 0x8b, 8, 0]);
  const words = { global: false, replace: false };
  assert.deepEqual(JSON.parse(String(asked[1]?.body)), { ...words, url: "https://example.com/w.zip" });
  assert.deepEqual(JSON.parse(String(asked[2]?.body)), { ...words, slug: "weather", version: "1.2.0" });
});

test("what is nothing to install is said before anything is asked for", async () => {
  const empty = join(folder, "empty");
  await mkdir(empty);
  await writeFile(join(folder, "plain.txt"), "no archive");
  for (const [what, why] of [
    [empty, /has no SKILL\.md/],
    [join(folder, "plain.txt"), /is not an archive/],
    ["./not there", /is not a folder, an archive, a URL or a slug/],
  ] as const) {
    const command = run("install", what, "--agent", "main");
    assert.equal(await command.ended, 1);
    assert.match(command.err, why);
  }
  assert.equal(asked.length, 0);
});

test("a skill that differs from what was installed ends verify with exit code 1", async () => {
  const files = [{ path: "SKILL.md", status: "changed" }];
  answers.set(`POST ${skills}/weather/verify`, { body: { name: "weather", ok: false, seen: "1ab", files } });
  const command = run("verify", "weather");
  assert.equal(await command.ended, 1);
  assert.match(command.out, /✗ SKILL\.md: changed/);
  answers.set(`POST ${skills}/weather/verify`, { body: { name: "weather", ok: true, seen: "1ab", files: [] } });
  assert.equal(await run("verify", "weather").ended, 0);
});

test("list, show, update, remove and accept ask what they say, and --json shows the answer as it is", async () => {
  const totals = { found: 0, eligible: 0, shown: 0, tokens: 0 };
  const report = { agent: "main", skills: [], totals, warnings: [] };
  answers.set(`GET ${skills}`, { body: report });
  answers.set(`GET ${skills}/weather`, {
    body: {
      name: "weather",
      source: "workspace",
      location: "l",
      eligible: true,
      files: [],
      moreFiles: 0,
      seen: "1ab",
      text: "Ask.",
    },
  });
  answers.set(`POST ${skills}/weather/update`, { body: { ...CHANGE, outcome: "current" } });
  answers.set(`DELETE ${skills}/weather`, { body: { ...CHANGE, outcome: "removed" } });
  answers.set(`POST ${skills}/weather/accept`, { body: { ...CHANGE, outcome: "accepted" } });
  const list = run("list", "--json");
  assert.equal(await list.ended, 0);
  assert.deepEqual(JSON.parse(list.out), report);
  for (const [verb, says] of [
    ["show", /\nAsk\.\n$/],
    ["update", /already up to date/],
    ["remove", /removed\.\n$/],
    ["accept", /accepted with its changes/],
  ] as const) {
    const command = run(verb, "weather");
    assert.equal(await command.ended, 0, command.err);
    assert.match(command.out, says);
  }
});

test("a refusal is said with what to do, and what is not understood with how it is used", async () => {
  const gone = run("show", "nope");
  assert.equal(await gone.ended, 1);
  assert.equal(gone.err, "There is no such skill.\nList them.\n");
  for (const args of [[], ["list", "x"], ["show"], ["dance", "weather"]]) {
    const command = run(...args);
    assert.equal(await command.ended, 1);
    assert.match(command.err, /^Usage: npm run skills/);
  }
  const help = run("--help");
  assert.equal(await help.ended, 0);
  assert.match(help.out, /accept <name>/);
});

test("a folder is signed as the server checks it, with a key that only its owner can read", async () => {
  const key = join(folder, "key.pem");
  const place = join(folder, "weather");
  const made = run("sign", place, "--key", key, "--new-key", "--json");
  assert.equal(await made.ended, 0, made.err);
  const { keyId, publicKey, files } = JSON.parse(made.out);
  assert.equal(files, 2);
  assert.equal((await stat(key)).mode & 0o777, 0o600);
  const signed = JSON.parse(await readFile(join(place, "SKILL.sig"), "utf8"));
  assert.deepEqual({ ...signed, signature: "" }, { version: 1, algorithm: "ed25519", keyId, signature: "" });
  const lines = ["SKILL.md", "scripts/问.sh"].map(async (path) => {
    const bytes = await readFile(join(place, path));
    return `${createHash("sha256").update(bytes).digest("hex")} ${bytes.length} ${path}\n`;
  });
  const text = `isopod-skill-v1\n${(await Promise.all(lines)).join("")}`;
  const jwk = { kty: "OKP", crv: "Ed25519", x: Buffer.from(publicKey, "base64").toString("base64url") };
  const trusted = createPublicKey({ key: jwk, format: "jwk" });
  assert.ok(verify(null, Buffer.from(text), trusted, Buffer.from(signed.signature, "base64")));
  const again = run("sign", place, "--key", key);
  assert.equal(await again.ended, 0, again.err);
  assert.match(again.out, new RegExp(`2 files are signed by the key ${keyId}`));
  const over = run("sign", place, "--key", key, "--new-key");
  assert.equal(await over.ended, 1);
  assert.match(over.err, /key\.pem cannot be used/);
});
