import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import type { Page } from "playwright-core";
import { type Browser, openBrowser } from "./browser.ts";
import { ScriptedApi, TOKEN } from "./scripted-api.ts";

let browser: Browser;
let api: ScriptedApi;
let page: Page;
let asked: string[];
let enabled: boolean;

const HEARTBEAT = {
  ...{ agentId: "main", state: "on", every: "30m", nextAt: null, next: "Tuesday 10:30", zone: "UTC", lastAt: null },
  ...{ lastStatus: "skipped", lastReason: "HEARTBEAT.md is empty", lastRunId: null, failures: 0 },
  ...{ runs: 0, costUsd: 0 },
};
const DEAD = { id: "dead_1", body: '{"kind":"unknown"}', at: 0 };

function job() {
  const next = enabled ? ["Wednesday 09:00"] : [];
  const last = { lastStatus: "ok", lastReason: null, runs: 2, costUsd: 0.0125 };
  return { id: "job_1", name: "Water the plants", enabled, next, ...last };
}

before(async () => {
  browser = await openBrowser();
});
after(() => browser.close());
beforeEach(async () => {
  api = await ScriptedApi.start();
  asked = [];
  enabled = true;
  api.others = ({ method, path }) => {
    if (!/\/(?:jobs|heartbeats|schedule)\b/.test(path)) return undefined;
    if (method !== "GET") asked.push(`${method} ${path}`);
    if (method === "PATCH") enabled = !enabled;
    if (path.startsWith("/v1/heartbeats")) return { status: 200, body: HEARTBEAT };
    if (path.startsWith("/v1/schedule")) return { status: 200, body: { slots: [], entries: [], deadLetters: [DEAD] } };
    return { status: 200, body: method === "GET" ? { jobs: [job()] } : job() };
  };
  page = await browser.context.newPage();
  await page.goto(`${api.url}/#token=${TOKEN}`);
  await page.getByRole("button", { name: "Schedule" }).click();
  await dialog().waitFor();
});
afterEach(async () => {
  await page.close();
  await api.stop();
  browser.troubles.splice(0);
});

test("a job is listed with its next run, let run, paused, resumed and removed", async () => {
  await dialog()
    .getByText(/Water the plants Wednesday 09:00 last time: ok · .*\$0\.0125/)
    .waitFor();
  await press("Run now Water the plants (job_1)");
  await press("Pause Water the plants (job_1)");
  await dialog().getByText("Water the plants paused").waitFor();
  await press("Resume Water the plants (job_1)");
  await dialog().getByText("Water the plants Wednesday 09:00").waitFor();
  await press("Remove Water the plants (job_1)");
  await dialog().getByText("None. Ask for one").waitFor();
  const path = "/v1/jobs/job_1";
  assert.deepEqual(asked, [`POST ${path}/run`, `PATCH ${path}`, `PATCH ${path}`, `DELETE ${path}`]);
});

test("the heartbeat says how it ended, and runs now", async () => {
  await dialog().getByText("30m Tuesday 10:30 last time: skipped: HEARTBEAT.md is empty").waitFor();
  await press("Run now main");
  await dialog().getByRole("button", { name: "Run now main", disabled: false }).waitFor();
  assert.deepEqual(asked, ["POST /v1/heartbeats/main/wake"]);
});

test("what the queues gave up is shown", async () => {
  await dialog().getByText('{"kind":"unknown"}').waitFor();
});

function press(name: string) {
  return dialog().getByRole("button", { name, exact: true }).click();
}

function dialog() {
  return page.getByRole("dialog", { name: "Schedule" });
}
