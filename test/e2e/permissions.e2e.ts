import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import type { Page } from "playwright-core";
import { type Browser, openBrowser } from "./browser.ts";
import { ScriptedApi, TOKEN } from "./scripted-api.ts";

let browser: Browser;
let api: ScriptedApi;
let page: Page;
let asked: { method: string; path: string }[];
let refusal: { status: number; body: unknown } | undefined;

const GRANT = { id: "grt_1", tool: "exec", programs: ["curl", "jq"], hosts: ["api.example.org"], grantedAt: 0 };
const FILE = { kind: "file", path: "notes/a page.md", etag: "e1", size: 9, modifiedAt: 0 };
const ENTRIES = [
  { ...FILE, labels: ["host:example.org"], labelledLines: 3 },
  { ...FILE, path: "own.md" },
];

before(async () => {
  browser = await openBrowser();
});
after(() => browser.close());
beforeEach(async () => {
  api = await ScriptedApi.start();
  asked = [];
  refusal = undefined;
  api.others = ({ method, path }) => {
    if (!/\/(?:grants|labels|workspace)\b/.test(path)) return undefined;
    asked.push({ method, path });
    if (method === "DELETE") return refusal ?? { status: path.includes("/labels/") ? 200 : 204, body: FILE };
    return { status: 200, body: path.includes("/grants") ? { grants: [GRANT] } : { entries: ENTRIES } };
  };
  page = await browser.context.newPage();
  await page.goto(`${api.url}/#token=${TOKEN}`);
  await page.getByRole("button", { name: "Permissions" }).click();
  await dialog().waitFor();
});
afterEach(async () => {
  await page.close();
  await api.stop();
  browser.troubles.splice(0);
});

test("what is always allowed is listed with its scope, and revoked", async () => {
  await dialog().getByText("exec curl, jq, api.example.org").waitFor();
  await dialog().getByRole("button", { name: "Revoke grt_1" }).click();
  await dialog().getByText("Nothing: every question is asked again.").waitFor();
  assert.deepEqual(deleted(), ["/v1/sessions/agent:main:main/grants/grt_1"]);
});

test("files with words of others are listed with where they come from, and accepted", async () => {
  await dialog().getByText("notes/a page.md host:example.org · 3 lines").waitFor();
  assert.equal(await dialog().getByText("own.md").count(), 0);
  await dialog().getByRole("button", { name: "Accept notes/a page.md" }).click();
  await dialog().getByText("None: every file is yours.").waitFor();
  assert.deepEqual(deleted(), ["/v1/agents/main/labels/notes/a page.md"]);
});

test("a file that has changed since stays listed, and the reason is shown", async () => {
  refusal = {
    status: 412,
    body: { error: { code: "precondition_failed", message: "notes/a page.md was changed.", hint: "Read it again." } },
  };
  await dialog().getByRole("button", { name: "Accept notes/a page.md" }).click();
  await dialog().getByText("notes/a page.md was changed. Read it again.").waitFor();
  assert.equal(await dialog().getByRole("button", { name: "Accept notes/a page.md" }).count(), 1);
});

function deleted(): string[] {
  return asked.filter(({ method }) => method === "DELETE").map(({ path }) => path);
}

function dialog() {
  return page.getByRole("dialog", { name: "Permissions" });
}
