import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { afterEach, beforeEach, test } from "node:test";
import { Command, endCommands } from "./command.ts";

const STATUS = {
  enabled: true,
  sources: ["memory"],
  files: 1,
  chunks: 1,
  pending: 0,
  complete: true,
  busy: false,
  comparedAt: null,
  warnings: [],
  embedder: { requested: "auto", provider: null, model: null, why: "none" },
  vectors: { store: null, ready: null, building: null },
  failure: null,
};
const RESULTS = {
  agent: "main",
  query: "",
  results: [],
  mode: "keywords",
  index: { files: 1, chunks: 1, pending: 0 },
  tookMs: 3,
};
const PASSAGE = { path: "MEMORY.md", source: "memory", text: "Tea at four.", startLine: 2, endLine: 2, totalLines: 2 };

let server: Server;
let asked: { what: string; body: unknown }[];
let answers: Map<string, unknown>;

beforeEach(async () => {
  asked = [];
  answers = new Map([["GET /v1/me", { agentId: "main", model: "offline/rules", version: "0" }]]);
  server = createServer(async (request, response) => {
    const what = `${request.method} ${request.url}`;
    asked.push({ what, body: request.method === "POST" ? await json(request) : undefined });
    const body = answers.get(what);
    response.writeHead(body === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(
      JSON.stringify(body ?? { error: { code: "not_found", message: "There is no such note.", hint: "Search." } }),
    );
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
});

afterEach(async () => {
  await endCommands();
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});

function run(...args: string[]): Command {
  const { port } = server.address() as AddressInfo;
  return Command.run("memory", [...args, "--vars", "/nowhere", "--token", "t", "--url", `http://127.0.0.1:${port}`]);
}

test("a search sends the words as one query, with its limits, to the agent that is named", async () => {
  answers.set("POST /v1/agents/home/memory/search", RESULTS);
  const command = run(
    "search",
    "vaccinate",
    "猫",
    "--agent",
    "home",
    "--max",
    "3",
    "--min-score",
    "0.2",
    "--source",
    "memory",
  );
  assert.equal(await command.ended, 0, command.err);
  assert.deepEqual(asked.at(-1)?.body, { query: "vaccinate 猫", maxResults: 3, minScore: 0.2, sources: ["memory"] });
  assert.match(command.out, /^0 passages of 1 file /);
  const plain = run("search", "tea", "--agent", "home", "--json");
  assert.equal(await plain.ended, 0, plain.err);
  assert.deepEqual(asked.at(-1)?.body, { query: "tea" });
  assert.deepEqual(JSON.parse(plain.out), RESULTS);
});

test("lines of a file are asked for by path, from and lines; a refusal is told with what to do", async () => {
  answers.set("GET /v1/agents/main/memory/file?path=memory%2Fa+b.md&from=2&lines=1", PASSAGE);
  const command = run("get", "memory/a b.md", "--from", "2", "--lines", "1");
  assert.equal(await command.ended, 0, command.err);
  assert.match(command.out, /^Tea at four\.\n/);
  const missing = run("get", "memory/none.md");
  assert.equal(await missing.ended, 1);
  assert.equal(missing.err, "There is no such note.\nSearch.\n");
});

test("index says by its exit code whether work is left", async () => {
  answers.set("POST /v1/agents/main/memory/index", STATUS);
  answers.set("GET /v1/agents/main/memory/status", STATUS);
  assert.equal(await run("index", "--force").ended, 0);
  assert.deepEqual(asked.at(-1)?.body, { force: true });
  answers.set("POST /v1/agents/main/memory/index", { ...STATUS, complete: false, pending: 4 });
  const left = run("index");
  assert.equal(await left.ended, 2, left.err);
  assert.match(left.out, /4 changed files/);
  assert.equal(await run("status").ended, 0);
});

test("what is not understood is answered with how it is used", async () => {
  for (const args of [[], ["search"], ["get"], ["get", "a", "b"], ["status", "x"], ["dance"]]) {
    const command = run(...args);
    assert.equal(await command.ended, 1);
    assert.match(command.err, /^Usage: npm run memory/);
  }
  const odd = run("search", "x", "--max", "many");
  assert.equal(await odd.ended, 1);
  assert.match(odd.err, /--max expects a number/);
});
