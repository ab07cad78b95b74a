import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import type { Page } from "playwright-core";
import { type Browser, openBrowser } from "./browser.ts";
import { ScriptedApi, TOKEN } from "./scripted-api.ts";
import { ScriptedMemory } from "./scripted-memory.ts";

let browser: Browser;
let api: ScriptedApi;
let page: Page;
let there: ScriptedMemory;

before(async () => {
  browser = await openBrowser();
});
after(() => browser.close());
beforeEach(async () => {
  api = await ScriptedApi.start();
  there = new ScriptedMemory();
  api.others = (asked) => there.answer(asked);
  page = await browser.context.newPage();
});
afterEach(async () => {
  await page.close();
  await api.stop();
  assert.deepEqual(browser.troubles.splice(0), [], "nothing went wrong in the browser");
});

test("the dialog says what is indexed, by whom and why, and what is not well, and closes with Escape", async () => {
  await opened();
  await dialog().getByText("12 files · 1,480 indexed chunks").waitFor();
  await dialog().getByText("local/hash-1: There is no key of another provider.").waitFor();
  await dialog().getByText("1,480 (local/hash-1/1024), D1").waitFor();
  await dialog().getByText("memory/scan.md: It is no text.").waitFor();
  await page.keyboard.press("Escape");
  await dialog().waitFor({ state: "detached" });
});

test("a search shows each passage with its score, why it was found and the words marked, by the keyboard alone", async () => {
  await opened();
  await searchFor("dentist's number");
  await dialog().getByText("2 found · 12 files · words + meaning · 12 ms").waitFor();
  const first = hits().first();
  assert.equal(await first.locator("h3 > span").first().textContent(), "memory/2026-01-31.md#L4-L5");
  await first.getByText("0.82").waitFor();
  assert.equal(await first.locator(".meter span").evaluate((bar) => bar.getAttribute("style")), "width: 82%;");
  await first.getByText("words: dentists · meaning 0.71 · exact phrase").waitFor();
  assert.deepEqual(await first.locator("mark").allTextContents(), ["dentist"]);
  assert.equal(await hits().nth(1).locator("mark").count(), 0);
  assert.equal(await dialog().locator("img").count(), 0);
  const [search] = there.asked.filter(({ method }) => method === "POST");
  assert.deepEqual(JSON.parse(search!.bytes.toString("utf8")), { query: "dentist's number" });
});

test("a hit opens the lines around it, with those that were found apart; a file that is gone is said to be so", async () => {
  await opened();
  await searchFor("dentist");
  const first = hits().first();
  await first.locator("summary").focus();
  await page.keyboard.press("Enter");
  await first.locator("li").first().waitFor();
  assert.equal(await first.locator("ol").getAttribute("start"), "1");
  assert.deepEqual(await first.locator("li").allTextContents(), [
    ...["# Saturday", "", "Bought paint.", "The dentist called: <img src=x onerror=alert(1)>"],
    ...["Tuesday at nine.", "Tea."],
  ]);
  assert.deepEqual(await first.locator("li.found").allTextContents(), [
    "The dentist called: <img src=x onerror=alert(1)>",
    "Tuesday at nine.",
  ]);
  await hits().nth(1).locator("summary").click();
  await dialog().getByRole("alert").getByText("There is no MEMORY.md.").waitFor();
  const asked = there.asked.filter(({ path }) => path.includes("/file"));
  assert.deepEqual(
    asked.map(({ path }) => path.split("?")[1]),
    ["path=memory/2026-01-31.md&from=1&lines=11", "path=MEMORY.md&from=1&lines=13"],
  );
});

test("nothing found and what a search had to do without are said", async () => {
  there.degraded = { code: "embedder_failed", message: "openai does not answer: found by words alone." };
  await opened();
  await searchFor("the moon");
  await dialog().getByText("Nothing found; try fewer or other words · 12 files").waitFor();
  await dialog().getByText("openai does not answer: found by words alone.").waitFor();
  assert.equal(await hits().count(), 0);
});

test("indexing again shows what is left until all is done", async () => {
  await opened();
  await dialog().getByRole("button", { name: "Index again" }).click();
  await dialog().getByText("Indexing continues in the background.").waitFor();
  await dialog().getByText("3 changed files pending").waitFor();
  await dialog().getByText("3 changed files pending").waitFor({ state: "detached" });
  const index = there.asked.find(({ path }) => path.endsWith("/index"));
  assert.deepEqual(JSON.parse(index!.bytes.toString("utf8")), { force: true });
});

test("an agent without memory search is said to be so, and offers nothing to search", async () => {
  there.status = { ...there.status, enabled: false };
  await opened();
  await dialog().getByText("memorySearch.enabled is false").waitFor();
  assert.equal(await dialog().getByRole("searchbox").count(), 0);
});

test("in Chinese and in the dark it is the same dialog, and fits a phone", async (t) => {
  const other = await openBrowser({ locale: "zh-CN", colorScheme: "dark", width: 380, height: 700 });
  t.after(() => other.close());
  await other.page.goto(`${api.url}/#token=${TOKEN}`);
  await other.page.getByRole("button", { name: "菜单" }).click();
  await other.page.getByRole("button", { name: "记忆" }).click();
  await other.page.getByText("12 个文件 · 1,480 个索引段落").waitFor();
  await other.page.getByLabel("搜索记忆").fill("dentist");
  await other.page.keyboard.press("Enter");
  await other.page.getByText("词语: dentists · 语义 0.71 · 原句").waitFor();
  const wide = await other.page.locator("dialog").evaluate((element) => element.scrollWidth - element.clientWidth);
  assert.equal(wide, 0);
  const page = await other.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(page <= 0);
  const [ink, ground] = await other.page.locator("mark").evaluate((element) => {
    const { color, backgroundColor } = getComputedStyle(element);
    return [color, backgroundColor];
  });
  assert.notEqual(ink, ground);
  assert.deepEqual(other.troubles, []);
});

async function opened() {
  await page.goto(`${api.url}/#token=${TOKEN}`);
  await page.getByRole("button", { name: "Memory" }).click();
  await dialog().waitFor();
}

async function searchFor(query: string) {
  await dialog().getByLabel("Search memory").fill(query);
  await page.keyboard.press("Enter");
  await dialog().getByText("12 ms").waitFor();
}

function dialog() {
  return page.getByRole("dialog", { name: "Memory" });
}

function hits() {
  return dialog().locator(".hit");
}
