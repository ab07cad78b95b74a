import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { Command, endCommands } from "../cli/command.ts";
import { freePort } from "../cli/free-port.ts";
import { type Browser, openBrowser } from "./browser.ts";
import { SlowModel } from "./slow-model.ts";

let folder: string;
let model: SlowModel;
let isopod: Command;
let browser: Browser;
let page: Page;
/** The address that `npm start` prints for a browser, with the token in it. */
let link: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "isopod-whole-"));
  model = await SlowModel.start();
  await writeFile(join(folder, ".dev.vars"), variables());
  const port = await freePort();
  const state = ["--persist-to", join(folder, "state"), "--vars", join(folder, ".dev.vars")];
  isopod = Command.run("start", ["--port", String(port), ...state]);
  await isopod.says("Ctrl-C ends it");
  link = /Web chat\s+(\S+)/.exec(isopod.out)?.[1] ?? "";
  browser = await openBrowser();
  page = browser.page;
});
after(async () => {
  await browser?.close();
  await endCommands();
  await model.stop();
  await rm(folder, { recursive: true, force: true });
});

test("the page comes with a policy that lets in nothing from elsewhere", async () => {
  const response = await fetch(new URL("/", link));
  const policy = response.headers.get("content-security-policy") ?? "";
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(policy, /unsafe|https?:|\*/);
  assert.equal(response.headers.get("x-content-type-options"), "nosniff");
  assert.equal(response.headers.get("referrer-policy"), "no-referrer");
  const script = /src="([^"]+)"/.exec(await response.text())?.[1] ?? "";
  assert.match((await fetch(new URL(script, link))).headers.get("cache-control") ?? "", /immutable/);
});

test("the documentation looks like the page, and can be walked through without a token or a script", async () => {
  await page.goto(new URL("/docs", link).href);
  await page.getByRole("navigation", { name: "All pages" }).getByRole("link", { name: "Models", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Models" }).waitFor();
  await page.getByRole("main").getByRole("link", { name: "budgets" }).first().click();
  await page.getByRole("heading", { level: 1, name: "Budgets" }).waitFor();
  const fonts = await page.evaluate(() => getComputedStyle(document.body).fontFamily);
  assert.match(fonts, /Noto Sans/, "the style sheet is there");
  assert.equal(await page.locator("script").count(), 0);
  assert.deepEqual(browser.troubles, []);
});

test("a stranger opens the printed link, says something worth remembering, and sees it being done", async () => {
  await page.goto(link);
  await composer().waitFor();
  assert.ok(!page.url().includes("token"));
  await send("Remember that my cat is called Mochi");
  await page.locator(".tool.ok").first().waitFor();
  await replyAbout("Mochi").waitFor();
});

test("after a reload the conversation is there and goes on", async () => {
  await page.reload();
  await page.getByText("Remember that my cat is called Mochi").waitFor();
  await replyAbout("Mochi").waitFor();
  assert.equal((await page.locator(".tool.ok").count()) > 0, true);
  await send("What is my cat called?");
  await page.locator(".turn").nth(1).locator(".prose", { hasText: "Mochi" }).waitFor();
});

test("what is said in the terminal shows on the page", async () => {
  const { origin, hash } = new URL(link);
  const token = new URLSearchParams(hash.slice(1)).get("token") ?? "";
  const chat = Command.run("chat", ["--url", origin, "Hello from the terminal"], { ISOPOD_TOKEN: token });
  await page.getByText("Hello from the terminal", { exact: true }).waitFor();
  assert.equal(await chat.ended, 0);
});

test("what one asks to be reminded of on the page and in the terminal comes there, in its minute", async (t) => {
  const { origin, hash } = new URL(link);
  const token = new URLSearchParams(hash.slice(1)).get("token") ?? "";
  const chat = Command.run("chat", ["--url", origin, "--session", "agent:main:kitchen"], { ISOPOD_TOKEN: token });
  t.after(() => chat.signal("SIGTERM"));
  chat.type("Remind me in one minute to turn off the oven");
  await chat.says(/I will remind you .*turn off the oven/);
  const askedAt = Date.now();
  await send("Remind me in one minute to water the ferns");
  await page.locator(".prose", { hasText: /I will remind you .*water the ferns/ }).waitFor();
  await chat.says("⏰ A reminder: turn off the oven", 150_000);
  await page.locator(".prose", { hasText: "⏰ A reminder: water the ferns" }).waitFor({ timeout: 150_000 });
  const minutes = (Date.now() - askedAt) / 60_000;
  assert.ok(minutes > 0.9 && minutes < 2.5, `it came after ${minutes} minutes`);
});

test("a conversation of more words than the server sends unacknowledged is heard to its end", async () => {
  await page.reload();
  for (const greeting of ["Hello", "Hello again", "Hello for the third time"]) {
    await send(greeting);
    const turn = page.locator(".turn", { has: page.getByText(greeting, { exact: true }) });
    await turn.locator(".prose", { hasText: "Ask me how to set up a model." }).waitFor();
  }
});

test("on a phone everything fits, in Chinese and in the dark", async (t) => {
  const phone = await openBrowser({ width: 360, height: 740, touch: true, locale: "zh-CN", colorScheme: "dark" });
  t.after(() => phone.close());
  await phone.page.goto(link);
  await phone.page.getByLabel("输入消息").waitFor();
  await phone.page.getByText("Hello from the terminal", { exact: true }).waitFor();
  const [content, window] = await phone.page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok((content ?? 0) <= (window ?? 0), `${content} pixels in ${window}`);
  assert.deepEqual(phone.troubles, []);
});

test("the words of a slow model show as they come, over a reload too, until it is stopped for good", async () => {
  const address = new URL(link);
  address.searchParams.set("session", "agent:slow:main");
  await page.goto(address.href);
  await composer().waitFor();
  await send("Count");
  const words = page.locator(".turn .prose");
  await words.getByText(/^1 2 3/).waitFor();
  assert.doesNotMatch((await words.textContent()) ?? "", /20/);
  await page.reload();
  await words.getByText(/^1 2 3/).waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("Stopped.").waitFor();
  // The page may hear of the end before the model's server does.
  for (let tries = 0; model.hungUp === 0 && tries < 100; tries++) await page.waitForTimeout(20);
  assert.equal(model.hungUp, 1);
});

test("in all of this the browser had nothing to complain about", () => {
  assert.deepEqual(browser.troubles, []);
  assert.equal(isopod.err, "");
});

/** The agent `main` answers by rules; the agent `slow` asks a model server. */
function variables(): string {
  const config = {
    agents: {
      list: [
        { id: "main", default: true },
        { id: "slow", model: "custom/slow" },
      ],
    },
  };
  return `ISOPOD_MODEL=offline/rules\nOPENAI_BASE_URL=${model.baseUrl}\nISOPOD_CONFIG='${JSON.stringify(config)}'\n`;
}

function composer() {
  return page.getByLabel("Write a message");
}

async function send(text: string): Promise<void> {
  await composer().fill(text);
  await composer().press("Enter");
}

function replyAbout(word: string) {
  return page.locator(".prose", { hasText: word }).first();
}
