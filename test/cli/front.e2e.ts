import assert from "node:assert/strict";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { SlowModel } from "../e2e/slow-model.ts";
import { Command, endCommands } from "./command.ts";
import { freePort } from "./free-port.ts";

const DOORS = [
  "/cdn-cgi/explorer",
  "/cdn-cgi/explorer/api/r2/buckets",
  "/cdn-cgi/local/explorer/api/d1/database",
  "/cdn-cgi/local/r2/public/isopod-files/agents/main/workspace/SOUL.md",
  "/cdn-cgi/local/r2/s3/isopod-files",
  "/cdn-cgi/local/platform-proxy",
  "/cdn-cgi/mf/scheduled",
  "/cdn-cgi/mf/stream/x",
  "/cdn-cgi/live-reload",
  "/cdn-cgi/trace",
  "/__cf_local/stream/x",
  "/__cf_local/imageupload/x",
];
/** Ways to write a path that a server in front of the Worker might read as `/cdn-cgi/local/scheduled`, each with its answer. */
const TRICKS = [
  ["//cdn-cgi/local/scheduled", 404],
  ["/%63dn-cgi/local/scheduled", 404],
  ["/%2563dn-cgi/local/scheduled", 404],
  ["/./cdn-cgi/local/scheduled", 401],
  ["/x/../cdn-cgi/local/scheduled", 401],
  ["/x/%2e%2e/cdn-cgi/local/scheduled", 401],
  ["/CDN-CGI/local/scheduled", 404],
  ["/cdn-cgi%2flocal%2fscheduled", 404],
  ["/cdn-cgi\\local\\scheduled", 401],
  ["\\cdn-cgi\\local\\scheduled", 400],
  ["/cdn-cgi/local/../local/scheduled", 401],
  ["/cdn-cgi/local/scheduled/", 404],
  ["http://127.0.0.1/cdn-cgi/local/scheduled", 401],
  ["http://evil.example/cdn-cgi/local/r2/public/isopod-files/x", 404],
] as const;
const ORIGIN_HEADERS = [
  "MF-Original-URL: http://127.0.0.1/cdn-cgi/local/scheduled",
  "MF-Original-URL: x:../cdn-cgi/local/r2/public/isopod-files/agents/main/workspace/SOUL.md",
  "MF-Route-Override: isopod",
];

let folder: string;
let port: number;
let token: string;
let isopod: Command;
let model: SlowModel;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "isopod-front-"));
  port = await freePort();
  model = await SlowModel.start();
  await writeFile(join(folder, ".dev.vars"), `ISOPOD_MODEL=custom/slow\nOPENAI_BASE_URL=${model.baseUrl}\n`);
  await mkdir(state());
  await chmod(state(), 0o755);
  isopod = Command.run("start", ["--port", String(port), "--persist-to", state(), "--vars", join(folder, ".dev.vars")]);
  await isopod.says("Ctrl-C ends it");
  token = /^ISOPOD_TOKEN=(\S+)$/m.exec(await readFile(join(folder, ".dev.vars"), "utf8"))?.[1] ?? "";
});
after(async () => {
  await endCommands();
  await model.stop();
  await rm(folder, { recursive: true, force: true });
});

test("what Miniflare offers developers answers 404, with the token too", async () => {
  for (const path of DOORS) {
    for (const method of ["GET", "POST"]) {
      assert.equal((await fetch(url(path), { method })).status, 404, `${method} ${path}`);
      assert.equal((await fetch(url(path), { method, headers: bearer() })).status, 404, `${method} ${path} with token`);
    }
  }
});

test("no way to write a path leads round the front Worker", async () => {
  for (const [target, status] of TRICKS) assert.equal(statusIn(await raw(`GET ${target} HTTP/1.1`)), status, target);
  for (const header of ORIGIN_HEADERS) {
    const answer = await raw("GET /healthz HTTP/1.1", header);
    assert.match(answer, /"ok":true/, `${header} changes nothing`);
  }
});

test("a cron trigger is fired with the access token alone", async () => {
  for (const path of ["/cdn-cgi/local/scheduled", "/cdn-cgi/handler/scheduled"]) {
    assert.equal((await fetch(url(path))).status, 401);
    assert.equal((await fetch(url(path), { headers: { authorization: "Bearer wrong" } })).status, 401);
    assert.equal((await fetch(url(`${path}?time=soon`), { headers: bearer() })).status, 400);
    const fired = await fetch(url(`${path}?cron=*/5+*+*+*+*`), { headers: bearer() });
    assert.deepEqual([fired.status, await fired.text()], [200, "ok\n"]);
  }
});

test("an email is handed over at wrangler's address, for the admin alone", async () => {
  const sent = [
    ...["Authentication-Results: mx.cloudflare.net; dmarc=pass header.from=example.org"],
    ...["From: Ada <ada@example.org>", "To: agent@agent.example", "Subject: Hi", "Message-ID: <1@example.org>"],
    ...["", "Hello"],
  ].join("\r\n");
  const post = async (query: string, body: string, headers = bearer()) => {
    const answer = await fetch(url(`/cdn-cgi/local/email?${query}`), { method: "POST", headers, body });
    return [answer.status, await answer.text()];
  };
  const envelope = "from=ada@example.org&to=agent@agent.example";
  assert.equal((await post(envelope, sent, { authorization: "Bearer wrong" }))[0], 401);
  assert.equal((await post("from=ada@example.org", sent))[0], 400);
  assert.deepEqual(await post(envelope, sent), [200, "The email was taken\n"]);
  const [status, text] = await post(envelope, sent.replace("dmarc=pass", "dmarc=fail"));
  assert.equal(status, 400);
  assert.match(String(text), /refused: Nothing proves/);
});

test("a cookie fires no cron trigger", async () => {
  const login = await fetch(url("/v1/login"), {
    method: "POST",
    headers: { "content-type": "application/json", origin: url("") },
    body: JSON.stringify({ token }),
  });
  const cookie = login.headers.get("set-cookie")?.split(";")[0] ?? "";
  assert.equal((await fetch(url("/v1/me"), { headers: { cookie } })).status, 200);
  assert.equal((await fetch(url("/cdn-cgi/local/scheduled"), { headers: { cookie } })).status, 401);
});

test("what the proxy says of the scheme is what origins are compared with", async () => {
  const upgrade = (origin: string, ...headers: string[]) =>
    raw(
      "GET /v1/sessions/agent%3Amain%3Amain/socket HTTP/1.1",
      ...["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"],
      ...[
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        `Origin: ${origin}`,
        `Authorization: Bearer ${token}`,
        ...headers,
      ],
    );
  assert.equal(statusIn(await upgrade(url(""))), 101);
  assert.equal(statusIn(await upgrade("https://evil.example")), 403);
  assert.equal(statusIn(await upgrade(`https://127.0.0.1:${port}`)), 403);
  assert.equal(statusIn(await upgrade(`https://127.0.0.1:${port}`, "X-Forwarded-Proto: https")), 101);
});

test("events of a run come as they happen", async () => {
  const answer = await fetch(url("/v1/agent"), {
    method: "POST",
    headers: { ...bearer(), "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify({ message: "Hello" }),
  });
  const times: number[] = [];
  let text = "";
  for await (const chunk of answer.body ?? []) {
    times.push(performance.now());
    text += new TextDecoder().decode(chunk);
  }
  assert.match(text, /"phase":"end"/);
  const tookMs = (times.at(-1) ?? 0) - (times[0] ?? 0);
  assert.ok(tookMs > 1_000, `the model takes 3.6 s, and its words came within ${tookMs} ms`);
});

test("the page and its files are served, and logs say nothing", async () => {
  assert.match(await (await fetch(url("/"))).text(), /<script/);
  assert.equal(isopod.err, "");
});

test("the folder of what is stored is its owner's alone, also where it was there before", async () => {
  assert.equal((await stat(state())).mode & 0o777, 0o700);
  assert.equal((await stat(join(folder, ".dev.vars"))).mode & 0o777, 0o600);
});

test("workerd listens on the port alone; Miniflare's own entry is on a socket in a private folder", {
  skip: process.platform === "linux" ? false : "needs /proc",
}, async () => {
  const scripts = readdirSync(state()).filter((name) => name.startsWith("workerd-"));
  assert.equal(scripts.length, 1);
  const script = await readFile(join(state(), scripts[0]!, "workerd"), "utf8");
  const socket = /^socket='(.*)'$/m.exec(script)?.[1] ?? "";
  assert.equal((await stat(join(socket, ".."))).mode & 0o777, 0o700);
  assert.ok((await stat(socket)).isSocket());
  const pid = readdirSync("/proc").find((name) => /^\d+$/.test(name) && commandLine(name).includes(socket));
  assert.ok(pid, "workerd was given the socket");
  assert.deepEqual(listeningPorts(pid), [port]);
});

test("an end leaves no socket and no script behind", async () => {
  isopod.signal("SIGINT");
  assert.equal(await isopod.ended, 0);
  assert.deepEqual(
    readdirSync(state()).filter((name) => name.startsWith("workerd-")),
    [],
  );
});

test("traces, which keep whole URLs, are off in deployments", () => {
  const text = readFileSync(new URL("../../wrangler.toml", import.meta.url), "utf8");
  assert.match(text, /^\[observability\.traces\]\nenabled = false$/m);
});

function url(path: string): string {
  return `http://127.0.0.1:${port}${path}`;
}

function state(): string {
  return join(folder, "state");
}

function bearer(): { authorization: string } {
  return { authorization: `Bearer ${token}` };
}

/** Sends a request's head as it is, which `fetch` would normalize, and gives the start of the answer. */
async function raw(requestLine: string, ...headers: string[]): Promise<string> {
  const socket: Socket = connect(port, "127.0.0.1");
  const isUpgrade = headers.includes("Upgrade: websocket");
  const head = [requestLine, `Host: 127.0.0.1:${port}`, ...(isUpgrade ? [] : ["Connection: close"]), ...headers];
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  let answer = "";
  for await (const chunk of socket) {
    answer += chunk;
    if (isUpgrade) break;
  }
  socket.destroy();
  return answer;
}

function statusIn(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error) return "";
    throw error;
  }
}

/** The ports that a process listens on, on any interface. */
function listeningPorts(pid: string): number[] {
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).map((fd) => /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1]),
  );
  const rows = ["tcp", "tcp6"].flatMap((kind) => readFileSync(`/proc/${pid}/net/${kind}`, "utf8").split("\n").slice(1));
  const fields = rows.map((row) => row.trim().split(/\s+/)).filter((row) => row[3] === "0A" && inodes.has(row[9]));
  return fields.map((row) => Number.parseInt(row[1]?.split(":")[1] ?? "", 16));
}
