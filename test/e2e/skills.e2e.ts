import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import type { Page } from "playwright-core";
import { type Browser, openBrowser } from "./browser.ts";
import { ScriptedApi, TOKEN } from "./scripted-api.ts";
import { ScriptedSkills, SEEN } from "./scripted-skills.ts";

let browser: Browser;
let api: ScriptedApi;
let page: Page;
let there: ScriptedSkills;

before(async () => {
  browser = await openBrowser();
});
after(() => browser.close());
beforeEach(async () => {
  api = await ScriptedApi.start();
  there = new ScriptedSkills();
  api.others = (asked) => there.answer(asked);
  page = await browser.context.newPage();
  await page.goto(`${api.url}/#token=${TOKEN}`);
  await page.getByRole("button", { name: "Skills" }).click();
  await row("weather").waitFor();
});
afterEach(async () => {
  await page.close();
  await api.stop();
  assert.deepEqual(browser.troubles.splice(0), [], "nothing went wrong in the browser");
});

test("the dialog lists what there is and why something is off, finds by any word, and closes with Escape", async () => {
  await dialog().getByText("1 / 3 eligible · 1,200 tokens in each prompt").waitFor();
  await dialog().getByText("SKILL.md is not what was installed.").waitFor();
  await dialog().getByLabel("Search skills").fill("any PLACE");
  await row("invoices").waitFor({ state: "detached" });
  assert.deepEqual(await names(), ["🌤️ weather"]);
  await dialog().getByLabel("Search skills").fill("nothing like it");
  await dialog().getByText("No skill matches.").waitFor();
  await page.keyboard.press("Escape");
  await row("invoices").waitFor();
  await page.keyboard.press("Escape");
  await dialog().waitFor({ state: "detached" });
});

test("a skill opens with the keyboard, and nothing in its text runs or loads", async () => {
  await row("weather").locator("summary").focus();
  await page.keyboard.press("Enter");
  await row("weather").getByRole("heading", { name: "Weather" }).waitFor();
  await row("weather").getByText('description: "Weather of any place."').waitFor();
  await row("weather").getByText("skills://bundled/weather/SKILL.md").waitFor();
  await row("weather").getByText("KEY: not set").waitFor();
  assert.equal(await page.evaluate(() => "bad" in window), false);
  assert.equal(await row("weather").locator("img").count(), 0);
});

test("a skill is switched off and on again in the configuration", async () => {
  await row("weather").locator("summary").click();
  await row("weather").getByRole("button", { name: "Switch off" }).click();
  await dialog().getByText("weather: switched off").waitFor();
  await row("weather").getByRole("button", { name: "Switch on" }).click();
  await dialog().getByText("weather: switched on").waitFor();
  const patches = there.asked.filter(({ method }) => method === "PATCH");
  assert.deepEqual(
    patches.map(({ type, bytes }) => [type, bytes.toString("utf8")]),
    [false, true].map((enabled) => [
      "application/merge-patch+json",
      JSON.stringify({ skills: { entries: { weather: { enabled } } } }),
    ]),
  );
});

test("what was changed after its install is verified, accepted, updated, and removed only at a second word", async () => {
  await row("invoices").locator("summary").click();
  await row("invoices").getByRole("button", { name: "Verify" }).click();
  await dialog().getByText("invoices: these files have changed since the install: SKILL.md (changed)").waitFor();
  await row("invoices").getByRole("button", { name: "Accept changes" }).click();
  await dialog().getByText("invoices: changes accepted").waitFor();
  const accepted = there.asked.find(({ path }) => path.endsWith("/accept"));
  assert.deepEqual(JSON.parse(accepted!.bytes.toString("utf8")), { seen: SEEN });
  assert.equal(await row("invoices").getByRole("button", { name: "Accept changes" }).count(), 0);
  await row("invoices").getByRole("button", { name: "Update" }).click();
  await dialog().getByText("invoices: up to date").waitFor();
  await row("invoices").getByRole("button", { name: "Remove" }).click();
  assert.equal(there.skills.length, 3);
  await row("invoices").getByRole("button", { name: "Confirm removal" }).click();
  await row("invoices").waitFor({ state: "detached" });
  assert.equal(await row("weather").getByRole("button", { name: "Remove" }).count(), 0);
});

test("a skill is installed by its name, from an address, from a file and by dropping one", async () => {
  await dialog().getByText("Install", { exact: true }).first().click();
  const from = dialog().getByLabel("https://… or name");
  await from.fill("evil");
  await page.keyboard.press("Enter");
  await dialog().getByRole("alert").getByText("the registry calls it malicious. Leave it.").waitFor();
  await from.fill("@ann/times@1.2.0");
  await page.keyboard.press("Enter");
  await dialog().getByText("Installed: @ann/times · 2 files were left out.").waitFor();
  await dialog().getByLabel("for all agents").check();
  const archive = { name: "notes.zip", mimeType: "application/zip", buffer: Buffer.from("PK") };
  await dialog().locator('input[type="file"]').setInputFiles(archive);
  await dialog().getByText("Installed: notes").waitFor();
  await dialog()
    .locator("form")
    .evaluate((form) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(["\u001f\u008b"], "more.tar.gz"));
      form.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
    });
  await page.waitForFunction(() => document.querySelectorAll(".skill").length === 6);
  const posts = there.asked.filter(({ method }) => method === "POST");
  assert.deepEqual(
    posts.map(({ path, type }) => [path, type]),
    [
      ["/v1/agents/main/skills", "application/json"],
      ["/v1/agents/main/skills", "application/json"],
      ["/v1/agents/main/skills?global=true", "application/zip"],
      ["/v1/agents/main/skills?global=true", "application/gzip"],
    ],
  );
  assert.deepEqual(JSON.parse(posts[1]!.bytes.toString("utf8")), {
    ...{ slug: "@ann/times", version: "1.2.0" },
    ...{ global: false, replace: false },
  });
  assert.equal(posts[2]!.bytes.toString("utf8"), "PK");
});

test("in Chinese and in the dark it is the same dialog, and fits a phone", async (t) => {
  const other = await openBrowser({ locale: "zh-CN", colorScheme: "dark", width: 380, height: 700 });
  t.after(() => other.close());
  await other.page.goto(`${api.url}/#token=${TOKEN}`);
  await other.page.getByRole("button", { name: "菜单" }).click();
  await other.page.getByRole("button", { name: "技能" }).click();
  await other.page.getByText("1 / 3 个可用").waitFor();
  const wide = await other.page.locator("dialog").evaluate((element) => element.scrollWidth - element.clientWidth);
  assert.equal(wide, 0);
  const [ink, ground] = await other.page.locator("dialog").evaluate((element) => {
    const { color, backgroundColor } = getComputedStyle(element);
    return [color, backgroundColor];
  });
  assert.notEqual(ink, ground);
  assert.deepEqual(other.troubles, []);
});

function dialog() {
  return page.getByRole("dialog", { name: "Skills" });
}

function row(name: string) {
  return dialog()
    .locator(".skill")
    .filter({ has: page.locator("b", { hasText: new RegExp(`${name}$`) }) });
}

function names() {
  return dialog().locator(".skill b").allTextContents();
}
