import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { SessionBrowser } from "../../src/browser/session-browser.ts";
import { createSafeFetch } from "../../src/security/safe-fetch.ts";
import { type BrowserPort, browserTool } from "../../src/tools/browser.ts";
import { openBrowser } from "../e2e/browser.ts";
import { type BrowserRun, browserBinding, startBrowserRun } from "../fakes/browser-run.ts";
import { type LocalServer, listen } from "../fakes/listen.ts";
import { startChromium } from "./chromium-devtools.ts";
import { type Outside, startOutside, WAYS, wantsOut } from "./ways-out.ts";

/** The longest that a page's ways out are waited for, in milliseconds. */
const WAYS_MS = 20_000;

let run: BrowserRun;
let site: LocalServer;
let host: string;
let outside: Outside;
/** What the site was asked, and whether by the Worker. */
const asked: { path: string; byWorker: boolean; cookie: string }[] = [];
const pages: Record<string, { status?: number; headers?: Record<string, string | string[]>; body: string }> = {};

before(async () => {
  run = await startBrowserRun(startChromium);
  site = await listen(({ url = "/", headers }, response) => {
    asked.push({ path: url, byWorker: headers["x-by"] === "worker", cookie: headers.cookie ?? "" });
    const found = pages[new URL(url, "http://x").pathname];
    const body = url.startsWith("/find") ? JSON.stringify(lampsFor(url, headers.cookie)) : found?.body;
    response.writeHead(body === undefined ? 404 : 200, found?.headers).end(body ?? "Not found");
  });
  host = new URL(site.url).host;
  outside = await startOutside();
});
after(async () => {
  run?.endAll();
  await Promise.all([run, site, outside].map((server) => server?.close()));
});

const LAMPS = [
  { name: "Brass lamp", price: 40 },
  { name: "Paper lamp", price: 12 },
];

function lampsFor(url: string, cookie = ""): object {
  const word = new URL(url, "http://x").searchParams.get("q") ?? "";
  return { lamps: LAMPS.filter(({ name }) => name.toLowerCase().includes(word)), cookie };
}

/** The tool with Chromium behind it; what the Worker requests has a mark. */
function tool(more: Partial<BrowserPort> = {}) {
  const browser = new SessionBrowser();
  const marked: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set("x-by", "worker");
    return fetch(input, { ...init, headers });
  };
  const one = browserTool({
    browser,
    source: { binding: browserBinding(run.url), idleMs: 60_000 },
    egress: createSafeFetch({ fetch: marked, allowPrivate: [host] }),
    mayLoad: () => undefined,
    keepImage: async ({ bytes }) => `inbox/${bytes.length}.png`,
    outside: { onInjection: "log", newFenceId: () => "0123456789abcdef", suspect: () => undefined },
    ...more,
  });
  const call = { callId: "call", approved: false, signal: new AbortController().signal, now: Date.now, update() {} };
  const act = async (args: object) => (await one.run(one.parameters.parse(args), call)).text;
  const effects = (args: object) => one.effects?.(one.parameters.parse(args));
  return { act, effects, close: () => browser.close() };
}

function refOf(text: string, part: string): string {
  return new RegExp(`\\[(e\\d+)\\] [^\\n]*${part}`).exec(text)?.[1] ?? assert.fail(`no ${part} in:\n${text}`);
}

describe("a shop that needs its scripts", () => {
  test("is searched, and the result is read", async () => {
    pages["/"] = {
      headers: { "Content-Type": "text/html", "Set-Cookie": ["basket=7; Path=/", "seen=yes; Path=/; HttpOnly"] },
      body: `<!doctype html><title>Lamps</title><main id="app"></main><script src="/shop.js"></script>`,
    };
    pages["/shop.js"] = {
      headers: { "Content-Type": "text/javascript" },
      body: `
const app = document.getElementById("app");
app.innerHTML = '<h1>Lamps</h1><label>Search <input id="q" value="old"></label><select aria-label="Sort"><option>Name</option><option>Price</option></select><button>Find</button><ul></ul>';
const find = async () => {
  const { lamps, cookie } = await (await fetch("/find?q=" + encodeURIComponent(app.querySelector("input").value))).json();
  app.querySelector("ul").innerHTML = lamps.map((one) => "<li><a href='/lamp'>" + one.name + "</a> " + one.price + " €</li>").join("") + "<li>" + cookie + "</li>";
};
app.querySelector("button").onclick = find;
app.querySelector("input").onkeydown = (event) => { if (event.key === "Enter") find(); };`,
    };
    pages["/lamp"] = { headers: { "Content-Type": "text/html" }, body: "<title>Lamp</title><p>Made of brass.</p>" };
    const { act, close } = tool();
    const first = await act({ action: "open", url: `${site.url}/` });
    assert.match(first, /Title: Lamps\n---\n[\s\S]*heading "Lamps" level=1/);
    const typed = await act({ action: "type", ref: refOf(first, "Search"), text: "brass" });
    assert.match(typed, /textbox "Search" = "brass"/);
    const sorted = await act({ action: "type", ref: refOf(first, "Sort"), text: "Price" });
    assert.match(sorted, /combobox "Sort" = "Price"/);
    const found = await act({ action: "click", ref: refOf(first, "Find") });
    assert.match(found, /link "Brass lamp"/);
    assert.doesNotMatch(found, /Paper lamp/);
    assert.match(found, /basket=7; seen=yes/);
    const entered = await act({ action: "type", ref: refOf(first, "Search"), text: "paper", submit: true });
    assert.match(entered, /link "Paper lamp"/);
    const lamp = await act({ action: "click", ref: refOf(entered, "Paper lamp") });
    assert.match(lamp, /Made of brass\./);
    assert.match(await act({ action: "back" }), /heading "Lamps"/);
    assert.match(await act({ action: "screenshot" }), /A picture of what is in view \(image\/png, \d{4,} bytes\)/);
    await close();
    assert.deepEqual(
      asked.filter(({ byWorker }) => !byWorker),
      [],
    );
  });
});

test("a frame of another site is read, typed into and clicked, and says where the words go", async () => {
  const other = site.url.replace("127.0.0.1", "localhost");
  const html = { "Content-Type": "text/html" };
  pages["/outer"] = { headers: html, body: `<h1>Outer</h1><iframe src="${other}/inner"></iframe>` };
  pages["/inner"] = {
    headers: html,
    body: `<label>Card <input></label><button onclick="document.querySelector('p').textContent = 'Paid with ' + document.querySelector('input').value">Pay</button><p>Not paid</p>`,
  };
  const { act, effects, close } = tool({
    egress: createSafeFetch({ fetch, allowPrivate: [host, host.replace("127.0.0.1", "localhost")] }),
  });
  const text = await act({ action: "open", url: `${site.url}/outer` });
  assert.match(text, /heading "Outer" level=1\nframe <http:\/\/localhost:\d+\/inner>\n/);
  const card = { action: "type", ref: refOf(text, "Card"), text: "4111" };
  assert.deepEqual(effects(card), [{ kind: "reach", url: `${other}/inner`, sends: "4111" }]);
  assert.match(await act(card), /textbox "Card" = "4111"/);
  assert.match(await act({ action: "click", ref: refOf(text, "Pay") }), /Paid with 4111/);
  await close();
});

describe("a page that tries every way out", () => {
  before(() => {
    Object.assign(pages, wantsOut(outside.url, outside.udpPort));
  });

  test("sends every request through the Worker", async () => {
    asked.length = 0;
    const { act, close } = tool();
    const text = await act({ action: "open", url: `${site.url}/` });
    assert.match(text, /heading "Wants out"/);
    assert.match(text, /127\.0\.0\.1 is not on the public internet/);
    await act({ action: "click", ref: refOf(text, "Window") });
    // What is slow, and what begins when a call has ended.
    for (let n = 0; n < 3; n++) {
      await wait(1_500);
      await act({ action: "snapshot" });
    }
    await act({ action: "open", url: `${site.url}/leave` });
    await close();
    assert.deepEqual([...outside.came], []);
    const loaded = new Set(asked.map(({ path }) => path));
    assert.deepEqual(
      ["/", "/nested", "/refresh", "/worker.js", "/own", "/leave"].filter((path) => !loaded.has(path)),
      [],
    );
    assert.deepEqual(
      asked.filter(({ byWorker }) => !byWorker),
      [],
    );
  });

  test("gets out in a browser without the layers, so that the test above tries what it says", async () => {
    const browser = await openBrowser();
    await browser.page.goto(`${site.url}/`, { waitUntil: "commit" });
    for (let waited = 0; waited < WAYS_MS && WAYS.some((way) => !outside.came.has(way)); waited += 250) await wait(250);
    await browser.close();
    assert.deepEqual(
      WAYS.filter((way) => !outside.came.has(way)),
      [],
    );
  });
});
