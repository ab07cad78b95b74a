import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, test } from "node:test";
import { Command, endCommands } from "./command.ts";

/** What was asked: the method and the path with its query, the headers that matter, the body. */
interface Asked {
  what: string;
  ifMatch: string | undefined;
  body: string;
}

const WORKSPACE = "/v1/agents/main/workspace/";
const TOKEN = "import-token";
const REPORT = {
  revision: 4,
  stored: true,
  mapped: [{ from: "a", to: "b" }],
  changed: [],
  unknown: [{ path: "gateway", why: "None here.", hint: "Nothing has to be done." }],
  refused: [],
  replaced: [],
};

let server: Server;
let asked: Asked[];
/** What a path answers in place of 200 with nothing in it. */
let answers: Map<string, { status?: number; body: unknown }>;
/** The files of the workspace. */
let files: Map<string, string>;
let folder: string;

beforeEach(async () => {
  asked = [];
  answers = new Map([["/v1/me", { body: { agentId: "main", model: "offline/rules", version: "0" } }]]);
  files = new Map();
  folder = await mkdtemp(join(tmpdir(), "isopod-import-"));
  server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    const isKnown = request.headers.authorization === `Bearer ${TOKEN}`;
    const body = await text(request);
    const { "if-match": ifMatch, "if-none-match": ifNoneMatch } = request.headers;
    asked.push({ what: `${request.method} ${url.pathname}${url.search}`, ifMatch, body });
    const file = url.pathname.startsWith(WORKSPACE) ? decodeURIComponent(url.pathname.slice(WORKSPACE.length)) : "";
    if (isKnown && file !== "" && request.method === "GET") {
      response.writeHead(files.has(file) ? 200 : 404, { etag: '"e1"' });
      response.end(files.get(file) ?? JSON.stringify({ error: { code: "not_found", message: "There is no file." } }));
      return;
    }
    const there = ifNoneMatch === "*" && files.has(file);
    if (request.method === "PUT" && file !== "" && !there) files.set(file, body);
    const { status = 200, body: answer } = answers.get(url.pathname) ?? { body: {} };
    const refusal = { error: { code: "x", message: there ? "It is there." : "No." } };
    response.writeHead(!isKnown ? 401 : there ? 412 : status, { "content-type": "application/json" });
    response.end(JSON.stringify(isKnown && !there ? answer : refusal));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
});

afterEach(async () => {
  await endCommands();
  await rm(folder, { recursive: true, force: true });
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});

function run(program: "doctor" | "import", args: string[], token = TOKEN): Command {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Command.run(program, ["--vars", join(folder, "none"), "--url", url, ...args], { ISOPOD_TOKEN: token });
}

test("a document is tried first and then stored over the revision that it was tried on", async () => {
  answers.set("/v1/config/import", { body: REPORT });
  const file = join(folder, "openclaw.json");
  await writeFile(file, "{agent: {}} // mine");
  const command = run("import", [file]);
  assert.equal(await command.ended, 0);
  assert.match(command.out, /! gateway/);
  assert.match(command.out, /stored as revision 4/);
  assert.deepEqual(asked, [
    { what: "POST /v1/config/import?dryRun=true", ifMatch: undefined, body: "{agent: {}} // mine" },
    { what: "POST /v1/config/import", ifMatch: '"4"', body: "{agent: {}} // mine" },
  ]);
});

test("a dry run stores nothing, and the document may come from the input", async () => {
  answers.set("/v1/config/import", { body: REPORT });
  const command = run("import", ["--dry-run", "-"]);
  command.type("{}");
  command.endInput();
  assert.equal(await command.ended, 0);
  assert.match(command.out, /Nothing was stored/);
  assert.equal(asked.length, 1);
});

test("what the server refuses is said with what to do, and a file that is not there by its name", async () => {
  const error = { code: "invalid_request", message: "It is not JSON5.", hint: "Send an openclaw.json." };
  answers.set("/v1/config/import", { status: 400, body: { error } });
  const file = join(folder, "openclaw.json");
  await writeFile(file, "{");
  const refused = run("import", [file]);
  assert.equal(await refused.ended, 1);
  assert.equal(refused.err, "It is not JSON5.\nSend an openclaw.json.\n");
  const missing = run("import", [join(folder, "nothing.json")]);
  assert.equal(await missing.ended, 1);
  assert.match(missing.err, /nothing\.json cannot be read/);
});

/** A home of OpenClaw, whose files hold their own paths, and a workspace that has some of them already. */
async function moving(): Promise<string> {
  const home = join(folder, "w");
  for (const path of ["AGENTS.md", "SOUL.md", "MEMORY.md", "TOOLS.md", "notes/a b.md", ".git/config"]) {
    await mkdir(join(home, path, ".."), { recursive: true });
    await writeFile(join(home, path), path);
  }
  files = new Map([
    ["AGENTS.md", "seeded"],
    ["SOUL.md", "mine"],
    ["MEMORY.md", "I like tea."],
    ["TOOLS.md", "TOOLS.md"],
  ]);
  const versions = "/v1/agents/main/versions";
  for (const path of ["AGENTS.md", "BOOTSTRAP.md"]) answers.set(`${versions}/${path}`, { body: { versions: [] } });
  answers.set(`${versions}/SOUL.md`, { body: { versions: [{}] } });
  return home;
}

function written(): string[] {
  return asked.flatMap(({ what }) => (what.startsWith("GET ") ? [] : [decodeURIComponent(what)]));
}

test("a folder is uploaded; what is there stays and is named, but for what nobody has changed since it was seeded", async () => {
  const command = run("import", ["--workspace", await moving()]);
  assert.equal(await command.ended, 1, "not all of it is there");
  assert.match(command.out, /The workspace of 'main': 1 replaced, 2 kept, 1 the same, 1 written\./);
  assert.match(
    command.out,
    /! MEMORY\.md is there already .*\n.*! SOUL\.md is there already .*\n.*--overwrite .*--merge/s,
  );
  assert.deepEqual(written(), [
    `PUT ${WORKSPACE}AGENTS.md`,
    `PUT ${WORKSPACE}notes/a b.md`,
    "DELETE /v1/agents/main/workspace/BOOTSTRAP.md",
  ]);
  assert.equal(asked.find(({ what }) => what === `PUT ${WORKSPACE}AGENTS.md`)?.ifMatch, '"e1"');
});

test("a dry run tells what the run would do, and writes nothing", async () => {
  const home = await moving();
  const dry = run("import", ["--dry-run", "--workspace", home]);
  assert.equal(await dry.ended, 1);
  assert.deepEqual(written(), []);
  const real = run("import", ["--workspace", home]);
  assert.equal(await real.ended, 1);
  assert.equal(dry.out.replace(" would have", ""), real.out);
});

test("notes are merged where that is asked for, once", async () => {
  const home = await moving();
  assert.equal(await run("import", ["--merge", "--workspace", home]).ended, 1, "SOUL.md is no note");
  assert.equal(files.get("MEMORY.md"), "I like tea.\n\n## From OpenClaw\n\nMEMORY.md\n");
  const again = run("import", ["--merge", "--workspace", home]);
  await again.ended;
  assert.match(again.out, /1 kept/);
  assert.equal(files.get("MEMORY.md"), "I like tea.\n\n## From OpenClaw\n\nMEMORY.md\n");
});

test("everything is replaced where that is asked for", async () => {
  const command = run("import", ["--overwrite", "--workspace", await moving()]);
  assert.equal(await command.ended, 0);
  assert.match(command.out, /3 replaced, 1 the same, 1 written/);
  assert.equal(files.get("SOUL.md"), "SOUL.md");
});

test("an option that does not exist is told in a line", async () => {
  const command = run("import", ["--merg"]);
  assert.equal(await command.ended, 1);
  assert.equal(command.err, "Unknown option '--merg'. --help shows the options.\n");
});

test("the doctor's exit code says whether something has failed", async () => {
  const check = { id: "a", area: "models", status: "fail", message: "No key.", fix: "Set it." };
  answers.set("/v1/doctor", { body: { ok: false, checks: [check] } });
  const sick = run("doctor", []);
  assert.equal(await sick.ended, 1);
  assert.match(sick.out, /✗ models {2}No key\.\n +→ Set it\./);
  answers.set("/v1/doctor", { body: { ok: true, checks: [] } });
  assert.equal(await run("doctor", []).ended, 0);
});

test("a wrong token is said, and --help says how it is used", async () => {
  const wrong = run("doctor", ["--token", "wrong"]);
  assert.equal(await wrong.ended, 1);
  assert.match(wrong.err, /does not accept the access token/);
  for (const program of ["doctor", "import"] as const) {
    const help = run(program, ["--help"]);
    assert.equal(await help.ended, 0);
    assert.match(help.out, new RegExp(`Usage: npm run ${program}`));
  }
});
