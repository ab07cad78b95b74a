import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { Command, endCommands } from "./command.ts";
import { freePort } from "./free-port.ts";

const MINUTE_MS = 60_000;
const TOKEN = "iso_schedule_e2e";
/** Minutes that pass while things go wrong, and after that: longer than a claim holds. */
const MINUTES = 14;
const QUIET_MINUTES = 14;
/** A kill after these minutes, and what the clock does in others. */
const KILLED = new Set([4, 9]);
const LEFT_OUT = new Set([2, 6, 7]);
const TWICE = new Set([1, 5, 11]);

let folder: string;
let port: number;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "isopod-schedule-"));
  port = await freePort();
  const config = { agents: { defaults: { heartbeat: { every: "2m", target: "none" } } } };
  await writeFile(join(folder, "vars"), `ISOPOD_TOKEN=${TOKEN}\nISOPOD_CONFIG='${JSON.stringify(config)}'\n`);
});
afterEach(endCommands);
after(() => rm(folder, { recursive: true, force: true }));

async function start(): Promise<Command> {
  const places = ["--persist-to", join(folder, "state"), "--vars", join(folder, "vars")];
  const isopod = Command.run("start", ["--port", String(port), "--no-tick", ...places]);
  await isopod.says("Ctrl-C ends it", 120_000);
  return isopod;
}

async function call(path: string, method = "GET", body?: unknown): Promise<any> {
  const headers = { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" };
  const sent = {
    method,
    headers,
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, sent);
  const text = await response.text();
  assert.ok(response.ok, `${method} ${path} answered ${response.status}: ${text}`);
  return text.startsWith("{") ? JSON.parse(text) : text;
}

const tick = (at: number) => call(`/cdn-cgi/local/scheduled?cron=*+*+*+*+*&time=${at}`);

async function until(what: () => string, isSo: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 60_000; !(await isSo()); ) {
    assert.ok(Date.now() < end, what());
    await new Promise((next) => setTimeout(next, 100));
  }
}

test("over kills, double triggers and minutes that are left out every slot of a job and a heartbeat runs once", async () => {
  let isopod = await start();
  await call("/v1/agents/main/workspace/HEARTBEAT.md", "PUT", "- Tell the time.\n");
  const job = await call("/v1/jobs", "POST", {
    name: "Every minute",
    schedule: { kind: "every", everyMs: MINUTE_MS },
    payload: { kind: "agentTurn", message: "Hello" },
    delivery: { mode: "none" },
  });
  const first = Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS + 2 * MINUTE_MS;
  let now = first;
  for (let minute = 0; minute < MINUTES; minute++, now += MINUTE_MS) {
    if (LEFT_OUT.has(minute)) continue;
    if (TWICE.has(minute)) await Promise.all([tick(now), tick(now)]);
    else await tick(now);
    if (!KILLED.has(minute)) continue;
    await isopod.kill();
    isopod = await start();
  }
  for (let minute = 0; minute < QUIET_MINUTES; minute++, now += MINUTE_MS) {
    await tick(now);
    // A claim that a kill has left is taken up when its lease ends; whatever runs is waited for.
    await until(
      () => "what was handed over ends before the next minute",
      async () => {
        const { entries } = await call(`/v1/schedule?from=${now}&to=${now + MINUTE_MS}`);
        const runs = entries.flatMap(({ lastRunId }: any) => lastRunId ?? []);
        const states = await Promise.all(runs.map((runId: string) => call(`/v1/runs/${runId}`)));
        return states.every(({ status }) => status !== "queued" && status !== "running");
      },
    );
  }
  const jobRuns = async () => (await call(`/v1/jobs/${job.id}/runs`)).runs as { slotAt: string; status: string }[];
  await until(
    () => "every run ends",
    async () => (await jobRuns()).every(({ status }) => status === "ok"),
  );
  const slots = (await jobRuns()).map(({ slotAt }) => slotAt);
  assert.equal(new Set(slots).size, slots.length, "no slot of the job ran twice");
  // A left-out minute is made up for by the next one, and one that was claimed at a kill when its lease ends.
  const told = MINUTES + QUIET_MINUTES - LEFT_OUT.size;
  assert.ok(slots.length <= told, `${slots.length} runs of ${told} minutes`);
  assert.ok(slots.length >= QUIET_MINUTES - 1, `${slots.length} runs`);
  const [beat] = (await call("/v1/schedule")).entries.filter(({ kind }: any) => kind === "heartbeat");
  assert.equal(beat.failures, 0);
  const { messages } = await call(`/v1/sessions/${encodeURIComponent("agent:main:main")}/history?limit=100`);
  const beats = messages.flatMap(({ text = "" }: any) => /^\[Heartbeat, ([^\]]+)\]/.exec(text)?.[1] ?? []);
  assert.ok(beats.length >= 3, `${beats.length} heartbeats`);
  assert.equal(new Set(beats).size, beats.length, "no heartbeat ran twice");
  const [next] = (await call(`/v1/schedule?from=${now}&to=${now + 10 * MINUTE_MS}`)).slots;
  assert.ok(Date.parse(next.at) >= now - MINUTE_MS, "nothing that was due is left");
});
