import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import type { Page } from "playwright-core";
import { Command, endCommands } from "../cli/command.ts";
import { freePort } from "../cli/free-port.ts";
import { type LocalServer, listen } from "../fakes/listen.ts";
import type { ScriptedReply } from "../fakes/model-script.ts";
import { startModelServer } from "../fakes/model-server.ts";
import { type Browser, openBrowser } from "./browser.ts";

let folder: string;
let model: LocalServer;
/** Somebody's website, with the chat box and a strict policy. */
let site: LocalServer;
let isopod: string;
let browser: Browser;
let page: Page;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "isopod-webchat-"));
  model = await startModelServer();
  const port = await freePort();
  isopod = `http://127.0.0.1:${port}`;
  site = await listen((request, response) => {
    response.writeHead(200, { "content-type": "text/html", "content-security-policy": policy() });
    response.end(html(new URL(request.url ?? "/", site.url).searchParams.get("lang") ?? "en"));
  });
  await writeFile(join(folder, ".dev.vars"), variables());
  const state = ["--persist-to", join(folder, "state"), "--vars", join(folder, ".dev.vars")];
  await Command.run("start", ["--port", String(port), ...state]).says("Ctrl-C ends it");
  browser = await openBrowser();
  page = browser.page;
});
after(async () => {
  await browser?.close();
  await endCommands();
  await Promise.all([site.close(), model.close()]);
  await rm(folder, { recursive: true, force: true });
});
afterEach(() => assert.deepEqual(browser.troubles.splice(0), [], "nothing went wrong in the browser"));

test("with the keyboard alone, a visitor of another origin's page asks and reads the answer, of which no HTML is run", async () => {
  await answers({
    text: '**Until six**, see [the hours](https://shop.example/hours). <img src=x onerror="document.title=1">',
  });
  await page.goto(site.url);
  assert.equal(await page.evaluate(() => localStorage.length), 0, "nothing happens before somebody opens it");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "The shop" }).waitFor();
  await page.getByText("How can I help?").waitFor();
  await page.keyboard.type("Are you open?");
  await page.keyboard.press("Enter");
  const log = page.getByRole("log", { name: "Conversation" });
  await log.locator("b", { hasText: "Until six" }).waitFor();
  assert.equal(await log.getByRole("link", { name: "the hours" }).getAttribute("rel"), "noopener noreferrer nofollow");
  await log.getByText("<img src=x onerror=").waitFor();
  assert.equal(await page.title(), "A shop");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  assert.equal(await focused(), "Open the chat");
});

test("after a reload the conversation is there, and goes on", async () => {
  await answers({ text: "On Sundays, too." });
  await page.getByRole("button", { name: "Open the chat" }).click();
  await page.reload();
  await page.getByText("Are you open?").waitFor();
  await page.locator("b", { hasText: "Until six" }).waitFor();
  await send("On Sundays?");
  await page.getByText("On Sundays, too.").waitFor();
  assert.equal(await page.locator(".message.visitor").count(), 2);
});

test("a message whose confirmation is lost on the way is there once, and is not sent again after a reload", async () => {
  await answers({ text: "Yes, by post." });
  let lost = 0;
  await page.route("**/messages", async (route) => {
    // It arrives, and only its answer does not.
    if (route.request().method() === "POST" && lost++ === 0) await route.fetch();
    else return route.continue();
    return route.abort();
  });
  await send("Do you ship?");
  await page.getByText("Yes, by post.").waitFor();
  await page.unroute("**/messages");
  await page.reload();
  await page.getByText("Yes, by post.").waitFor();
  assert.equal(await page.getByText("Do you ship?").count(), 1);
  assert.equal(await page.getByText("Sending").count(), 0);
  assert.ok(lost > 0);
  assert.equal(await page.evaluate(() => JSON.stringify({ ...localStorage }).includes("Do you ship?")), false);
});

test("two tabs are one visitor, even if both were there before anybody opened the chat", async () => {
  await page.evaluate(() => localStorage.clear());
  await page.getByRole("button", { name: "Close the chat" }).first().click();
  const second = await browser.context.newPage();
  await Promise.all([page.goto(site.url), second.goto(site.url)]);
  await answers({ text: "In blue." });
  await page.getByRole("button", { name: "Open the chat" }).click();
  await send("Which colours?");
  await page.getByText("In blue.").waitFor();
  await second.getByRole("button", { name: "Open the chat" }).click();
  await second.getByText("Which colours?").waitFor();
  await second.getByText("In blue.").waitFor();
  await second.close();
});

test("a page of an origin that is not named shows the button and reads nothing", async () => {
  const stranger = await browser.context.newPage();
  await stranger.goto(site.url.replace("127.0.0.1", "localhost"));
  await stranger.getByRole("button", { name: "Open the chat" }).click();
  await stranger.getByText("The chat cannot be reached.").waitFor();
  assert.equal(await stranger.locator(".message").count(), 0);
  await stranger.close();
  // The browser itself says that it has refused it.
  browser.troubles.splice(0);
});

test("on a phone it fits, in Chinese and in the dark", async (t) => {
  const phone = await openBrowser({ width: 360, height: 740, touch: true, locale: "zh-CN", colorScheme: "dark" });
  t.after(() => phone.close());
  await phone.page.goto(`${site.url}/?lang=zh-CN`);
  await phone.page.getByRole("button", { name: "打开聊天" }).click();
  await phone.page.getByLabel("输入消息").waitFor();
  await phone.page.getByText("How can I help?").waitFor();
  const box = await phone.page.getByRole("dialog").boundingBox();
  assert.deepEqual(box, { x: 0, y: 0, width: 360, height: 740 });
  const paper = await phone.page.getByRole("dialog").evaluate((dialog) => getComputedStyle(dialog).backgroundColor);
  assert.equal(paper, "rgb(28, 30, 34)");
  assert.deepEqual(phone.troubles, []);
});

function policy(): string {
  return `default-src 'none'; script-src ${isopod}; connect-src ${isopod}; img-src data:; require-trusted-types-for 'script'`;
}

function html(lang: string): string {
  return `<!doctype html><html lang="${lang}"><title>A shop</title><link rel="icon" href="data:,">
<body><h1>A shop</h1><script src="${isopod}/widget.js" async></script></body></html>`;
}

function variables(): string {
  const config = {
    agents: { list: [{ id: "main", default: true, model: "custom/website" }] },
    channels: { webchat: { allowedOrigins: [site.url], title: "The shop", greeting: "How can I help?" } },
  };
  return `OPENAI_BASE_URL=${model.url}/v1\nISOPOD_CONFIG='${JSON.stringify(config)}'\n`;
}

async function answers(...replies: ScriptedReply[]): Promise<void> {
  await fetch(`${model.url}/control/website`, { method: "PUT", body: JSON.stringify({ replies }) });
}

async function send(text: string): Promise<void> {
  await page.getByLabel("Write a message").fill(text);
  await page.getByLabel("Write a message").press("Enter");
}

/** What has the focus, by its label. */
function focused(): Promise<string | null | undefined> {
  return page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.getAttribute("aria-label"));
}
