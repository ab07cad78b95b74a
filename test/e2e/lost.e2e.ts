import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import type { Page } from "playwright-core";
import { type Browser, openBrowser } from "./browser.ts";
import { ScriptedApi, TOKEN } from "./scripted-api.ts";

let browser: Browser;
let api: ScriptedApi;
let page: Page;
let asked: string[];

const LOST = {
  ...{ deliveryId: "dlv_1", runId: "run_1", channel: "telegram", conversation: "7", status: "unsure", attempts: 1 },
  ...{ askedAt: 0, reason: "Telegram: no answer in time", text: "The code is 4711." },
};

before(async () => {
  browser = await openBrowser();
});
after(() => browser.close());
beforeEach(async () => {
  api = await ScriptedApi.start();
  asked = [];
  api.others = ({ method, path }) => {
    if (path.endsWith("/deliveries")) return { status: 200, body: { deliveries: [LOST] } };
    if (!path.endsWith("/resend")) return undefined;
    asked.push(`${method} ${path}`);
    return { status: 200, body: {} };
  };
  page = await browser.context.newPage();
});
afterEach(async () => {
  await page.close();
  await api.stop();
  assert.deepEqual(browser.troubles.splice(0), [], "nothing went wrong in the browser");
});

test("the page names a message that may not have arrived in a chat, and sends it again", async () => {
  await page.goto(`${api.url}/#token=${TOKEN}`);
  const banner = page.locator(".lost");
  await banner.getByText("The code is 4711.").waitFor();
  await banner.getByText("may not have arrived (telegram: Telegram: no answer in time)").waitFor();
  await banner.getByRole("button", { name: "Send again" }).click();
  await banner.waitFor({ state: "detached" });
  assert.deepEqual(asked, ["POST /v1/runs/run_1/deliveries/dlv_1/resend"]);
});
