import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { IncomingHttpHeaders } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { Command, endCommands } from "../cli/command.ts";
import { freePort } from "../cli/free-port.ts";
import { type LocalServer, listen } from "../fakes/listen.ts";
import { startModelServer } from "../fakes/model-server.ts";
import { SEARCH_ANSWERS } from "../search/search-answers.ts";
import { type Browser, openBrowser } from "./browser.ts";

const KEY = "brave-key-of-a-newcomer";
const QUESTION = "What is new in harbour lamps?";

/** What the search was asked. */
const searches: { path: string; headers: IncomingHttpHeaders }[] = [];

let folder: string;
let models: LocalServer;
let brave: LocalServer;
let isopod: Command;
let browser: Browser;
let page: Page;
let link: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "isopod-search-"));
  brave = await startBrave();
  models = await startModelServer();
  await script([
    { calls: [{ name: "web_search", args: { query: "new harbour lamps", freshness: "month" } }] },
    { text: "Forty lamps were counted." },
  ]);
  await writeFile(join(folder, ".dev.vars"), variables());
  const port = await freePort();
  const state = ["--persist-to", join(folder, "state"), "--vars", join(folder, ".dev.vars")];
  isopod = Command.run("start", ["--port", String(port), ...state]);
  await isopod.says("Ctrl-C ends it", 120_000);
  link = /Web chat\s+(\S+)/.exec(isopod.out)?.[1] ?? "";
  browser = await openBrowser();
  page = browser.page;
});
after(async () => {
  await browser?.close();
  await endCommands();
  await Promise.all([models?.close(), brave?.close()]);
  await rm(folder, { recursive: true, force: true });
});

test("a newcomer with a Brave key asks what is new, and reads the answer with its sources", async () => {
  await page.goto(link);
  await page.getByLabel("Write a message").fill(QUESTION);
  await page.keyboard.press("Enter");
  await page.locator(".prose", { hasText: "Forty lamps were counted." }).waitFor();
  await checkSources(page, "Sources");
  assert.equal(searches.length, 1);
  assert.equal(searches[0]?.headers["x-subscription-token"], KEY);
  const asked = new URL(searches[0]?.path ?? "", brave.url).searchParams;
  assert.equal(asked.get("q"), "new harbour lamps");
  assert.equal(asked.get("freshness"), "pm");
});

test("the sources are there after a reload, and in Chinese", async (t) => {
  await page.reload();
  await checkSources(page, "Sources");
  const chinese = await openBrowser({ locale: "zh-CN" });
  t.after(() => chinese.close());
  await chinese.page.goto(link);
  await checkSources(chinese.page, "来源");
  assert.deepEqual(chinese.troubles, []);
});

test("a source opens in a tab that knows nothing of the page", async () => {
  await browser.context.route("https://example.org/**", (route) => route.fulfill({ body: "The lamps" }));
  const [opened] = await Promise.all([
    browser.context.waitForEvent("page"),
    page.getByRole("link", { name: "Lamps & harbours" }).click(),
  ]);
  await opened.waitForLoadState();
  assert.equal(opened.url(), "https://example.org/lamps");
  assert.deepEqual(await opened.evaluate(() => [window.opener, document.referrer]), [null, ""]);
  await opened.close();
});

test("in all of this the browser had nothing to complain about", () => {
  assert.deepEqual(browser.troubles, []);
  assert.equal(isopod.err, "");
});

/** The pages of the web that were found, as links; their titles are text. */
async function checkSources(shown: Page, name: string): Promise<void> {
  const sources = shown.getByRole("region", { name, exact: true });
  await sources.waitFor();
  const links = await sources
    .getByRole("link")
    .evaluateAll((all) => all.map((one) => ["href", "rel", "target"].map((attribute) => one.getAttribute(attribute))));
  const safe = ["noopener noreferrer", "_blank"];
  assert.deepEqual(links, [
    ["https://example.org/lamps", ...safe],
    ["https://example.org/second", ...safe],
    ["https://evil.example.org/", ...safe],
  ]);
  assert.equal(await sources.getByText("<img src=x onerror=alert(1)>").count(), 1);
  assert.equal(await sources.locator("img").count(), 0);
  assert.equal(await sources.getByText("evil.example.org", { exact: true }).count(), 1);
}

/** Brave's search, with a page whose title is markup and one whose address is none of the web. */
function startBrave(): Promise<LocalServer> {
  const { web, ...rest } = SEARCH_ANSWERS.brave;
  const bad = [
    { title: "&lt;img src=x onerror=alert(1)&gt;", url: "https://evil.example.org/" },
    { title: "A script", url: "javascript:alert(1)" },
  ];
  const body = JSON.stringify({ ...rest, web: { ...web, results: [...web.results, ...bad] } });
  return listen((request, response) => {
    searches.push({ path: request.url ?? "", headers: request.headers });
    response.writeHead(200, { "content-type": "application/json" }).end(body);
  });
}

async function script(replies: object[]): Promise<void> {
  await fetch(`${models.url}/control/newcomer`, { method: "PUT", body: JSON.stringify({ replies }) });
}

/** What a newcomer sets: a model and a key; the configuration only says that the search is on this machine. */
function variables(): string {
  const config = {
    tools: { web: { search: { provider: "brave", baseUrl: brave.url } } },
    security: { egress: { allowPrivate: [new URL(brave.url).host] } },
  };
  const lines = [
    `OPENAI_BASE_URL=${models.url}/v1`,
    "ISOPOD_MODEL=newcomer",
    `BRAVE_API_KEY=${KEY}`,
    `ISOPOD_CONFIG='${JSON.stringify(config)}'`,
  ];
  return `${lines.join("\n")}\n`;
}
