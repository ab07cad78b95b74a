import { afterEach, describe, expect, test } from "vitest";
import { SessionBrowser } from "../../src/browser/session-browser.ts";
import { createSafeFetch } from "../../src/security/safe-fetch.ts";
import { type BrowserPort, browserTool, MAX_SNAPSHOT_CHARS } from "../../src/tools/browser.ts";
import { type BrowserRun, browserBinding, startBrowserRun } from "../fakes/browser-run.ts";
import { ScriptedChromium, type ScriptedFaults } from "../fakes/scripted-chromium.ts";
import { at, heard, outsideHost, serve } from "../security/outside-lab.ts";

const HTML = { "Content-Type": "text/html; charset=utf-8" };
const SHOP =
  '<title>Lamps</title><h1>Lamps</h1><p>Look for one.</p><input name="q" aria-label="Search" value="old">' +
  '<select name="kind" aria-label="Kind" data-options="table,floor"></select><button data-ask="find">Find</button>' +
  '<a href="about">About us</a><img src="lamp.png">';

const opened: { run: BrowserRun; browser: SessionBrowser }[] = [];
afterEach(async () => {
  for (const { run, browser } of opened.splice(0)) {
    await browser.close();
    await run.close();
  }
});

/** The tool with a browser behind it that keeps to everything but the given faults. */
async function lab(faults: ScriptedFaults = {}, more: Partial<BrowserPort> = {}) {
  const run = await startBrowserRun((send) => new ScriptedChromium(send, faults));
  const browser = new SessionBrowser();
  opened.push({ run, browser });
  const tool = browserTool({
    browser,
    source: { binding: browserBinding(run.url), idleMs: 60_000 },
    egress: createSafeFetch({ fetch, allowPrivate: [outsideHost] }),
    mayLoad: () => undefined,
    keepImage: async () => "inbox/browser-1.png",
    outside: { onInjection: "log", newFenceId: () => "0123456789abcdef", suspect: () => undefined },
    ...more,
  });
  const call = { callId: "call", approved: false, signal: new AbortController().signal, now: () => 0, update() {} };
  const act = (args: object) => tool.run(tool.parameters.parse(args), call);
  const effects = (args: object) => tool.effects?.(tool.parameters.parse(args));
  return { run, browser, act, effects };
}

async function shop(place: string, body = SHOP): Promise<string> {
  await serve(place, {
    "": { headers: HTML, body },
    find: { headers: { "Content-Type": "text/plain" }, echo: true },
    about: { headers: HTML, body: "<title>About</title><p>We sell lamps.</p>" },
    "lamp.png": { headers: { "Content-Type": "image/png" }, body: "x" },
  });
  return at(place);
}

/** The ref of an element in a snapshot, by a part of its line. */
function refOf(text: string, part: string): string {
  return new RegExp(`\\[(e\\d+)\\] [^\\n]*${part}`).exec(text)?.[1] ?? "none";
}

describe("a page that is opened", () => {
  test("is shown as a tree with refs, fenced, with the labels of its host", async () => {
    const { act, run } = await lab();
    const url = await shop("br-open");
    const { text, labels, sources } = await act({ action: "open", url });
    expect(text).toContain(
      `Source: browser\nFrom: ${outsideHost}\nAddress: ${url}\nTitle: Lamps\n---\nheading "Lamps"\n`,
    );
    expect(text).toMatch(/\n\[e1\] textbox "Search" = "old"\n\[e2\] combobox "Kind"\n\[e3\] button "Find"\n/);
    expect(text).toContain(`[e4] link "About us" <${at("br-open", "about")}>`);
    expect(labels).toEqual([`host:${outsideHost}`]);
    expect(sources).toEqual([{ url, title: "Lamps" }]);
    expect(run.requests[0]).toEqual({
      method: "POST",
      path: "/v1/devtools/browser?keep_alive=60000",
      body: { guardrails: { allowedDomains: [] } },
    });
  });

  test("is typed into, clicked and gone back from, in one browser", async () => {
    const { act, run } = await lab();
    const first = (await act({ action: "open", url: await shop("br-story") })).text;
    const typed = await act({ action: "type", ref: refOf(first, "Search"), text: "brass lamp" });
    expect(typed.text).toContain('textbox "Search" = "brass lamp"');
    await act({ action: "type", ref: refOf(first, "Kind"), text: "floor" });
    const found = await act({ action: "click", ref: refOf(first, "Find") });
    expect(found.text).toContain("POST /find host:");
    expect(found.text).toContain("q=brass+lamp&kind=floor");
    expect((await act({ action: "click", ref: refOf(first, "About") })).text).toContain("We sell lamps.");
    expect((await act({ action: "back" })).text).toContain("Look for one.");
    expect(run.open.size).toBe(1);
    expect((await act({ action: "close" })).text).toBe("The browser is closed.");
    expect(run.open.size).toBe(0);
  });

  test("says how much more there is, and is read on", async () => {
    const { act } = await lab();
    const rows = Array.from({ length: 2_000 }, (_, n) => `<p>Row ${n}</p>`).join("");
    const { text } = await act({ action: "open", url: await shop("br-long", rows) });
    const [, next = ""] =
      /\[Characters 0 to (\d+) of \d+\. Read on with action snapshot and offset=\d+\.\]$/.exec(text) ?? [];
    expect(Number(next)).toBeGreaterThan(MAX_SNAPSHOT_CHARS * 0.9);
    expect(Number(next)).toBeLessThanOrEqual(MAX_SNAPSHOT_CHARS);
    const more = await act({ action: "snapshot", offset: Number(next) });
    const [, last = ""] = /Row (\d+)"\n+<<<END/.exec(text) ?? [];
    expect(more.text).toContain(`---\ntext "Row ${Number(last) + 1}"`);
    await expect(act({ action: "snapshot", offset: 1_000_000 })).rejects.toThrow("there is nothing at offset 1000000");
  });

  test("gives a picture, stored and labelled", async () => {
    const { act } = await lab();
    await act({ action: "open", url: await shop("br-picture") });
    expect(await act({ action: "screenshot" })).toMatchObject({
      images: [{ path: "inbox/browser-1.png", mediaType: "image/png" }],
      labels: [`host:${outsideHost}`],
    });
  });

  test("gets a policy that lets it open no window, and its cookies one by one", async () => {
    const sent: any[] = [];
    const run = await startBrowserRun((send) => {
      const chromium = new ScriptedChromium(send);
      const receive = (text: string) => {
        sent.push(JSON.parse(text));
        chromium.receive(text);
      };
      return { receive, end: () => chromium.end() };
    });
    const browser = new SessionBrowser();
    opened.push({ run, browser });
    const egress = async (url: string) => ({
      ...{ status: 200, statusText: "OK", url, body: new Uint8Array(new TextEncoder().encode("<p>x</p>")) },
      headers: { "content-type": "text/html", "content-length": "99", "set-cookie": "b=2" },
      setCookies: ["a=1", "b=2"],
    });
    const { act } = await lab({}, { browser, source: { binding: browserBinding(run.url), idleMs: 60_000 }, egress });
    await act({ action: "open", url: "https://shop.example/" });
    const answer = sent.filter(({ method }) => method === "Fetch.fulfillRequest").at(-1).params;
    expect(answer.responseHeaders).toEqual([
      { name: "content-type", value: "text/html" },
      { name: "Set-Cookie", value: "a=1" },
      { name: "Set-Cookie", value: "b=2" },
      { name: "Content-Security-Policy", value: "sandbox allow-scripts allow-forms allow-same-origin" },
    ]);
  });
});

describe("what a page asks", () => {
  test("goes through the guard: a private address is refused, and the result says so", async () => {
    const { act } = await lab();
    const url = await shop("br-guard", '<p>Hi</p><img src="http://127.0.0.1:8081/x"><img src="ftp://example.org/x">');
    const { text } = await act({ action: "open", url });
    expect(text).toContain("(127.0.0.1 is not on the public internet");
    expect(text).toContain("('ftp:' is not asked for.)");
  });

  test("is decided by the policy with who asks, and what is refused is not sent", async () => {
    const asked: [string, string, string | undefined][] = [];
    const mayLoad: BrowserPort["mayLoad"] = (url, from, host) => {
      asked.push([url, from, host]);
      return url.endsWith("lamp.png") ? "The rule says no." : undefined;
    };
    const { act } = await lab({}, { mayLoad });
    const url = await shop("br-policy");
    expect((await act({ action: "open", url })).text).toContain("(The rule says no.)");
    expect(asked).toEqual([
      [url, "https://trial.invalid/", outsideHost],
      [at("br-policy", "lamp.png"), url, outsideHost],
    ]);
    expect((await heard("br-policy")).map(({ path }) => path)).toEqual([""]);
  });

  test("waits between two calls, and is answered in the next", async () => {
    const seen: string[] = [];
    const run = await startBrowserRun((send) => {
      const noted = (message: string) => {
        const { method, params } = JSON.parse(message);
        if (method === "Fetch.requestPaused") seen.push(params.request.url);
        send(message);
      };
      return new ScriptedChromium(noted);
    });
    const browser = new SessionBrowser();
    opened.push({ run, browser });
    const { act } = await lab({}, { browser, source: { binding: browserBinding(run.url), idleMs: 60_000 } });
    const { text } = await act({
      action: "open",
      url: await shop("br-between", '<button data-later="find">Wait</button>'),
    });
    await act({ action: "click", ref: refOf(text, "Wait") });
    await expect.poll(() => seen.at(-1), { timeout: 10_000 }).toBe(at("br-between", "find"));
    expect((await heard("br-between")).map(({ path }) => path)).toEqual([""]);
    await act({ action: "snapshot" });
    expect((await heard("br-between")).map(({ path }) => path)).toEqual(["", "find"]);
  });

  test("is a redirect that the page follows, and one to a file is told", async () => {
    const { act } = await lab();
    await serve("br-moved", {
      "": { status: 302, headers: { Location: "/br-moved/new" } },
      new: { headers: HTML, body: "<p>Here now</p>" },
      file: { headers: { "Content-Type": "application/pdf" }, body: "%PDF" },
    });
    expect((await act({ action: "open", url: at("br-moved") })).text).toContain(`Address: ${at("br-moved", "new")}`);
    await expect(act({ action: "open", url: at("br-moved", "file") })).rejects.toThrow(
      /It is a file \(application\/pdf\).*web_fetch/,
    );
    await expect(act({ action: "open", url: "http://10.0.0.1/" })).rejects.toThrow(
      /10\.0\.0\.1 was not opened\. .*not on the public internet/,
    );
  });
});

describe("what a call does outside", () => {
  test("is told before it runs: an address, words for the page's host, a click there", async () => {
    const { act, effects } = await lab();
    const url = await shop("br-effects");
    expect(effects({ action: "open", url })).toEqual([{ kind: "reach", url }]);
    expect(effects({ action: "click", ref: "e1" })).toEqual([]);
    const { text } = await act({ action: "open", url });
    const ref = refOf(text, "Search");
    expect(effects({ action: "type", ref, text: "lamp" })).toEqual([{ kind: "reach", url, sends: "lamp" }]);
    expect(effects({ action: "click", ref })).toEqual([{ kind: "reach", url }]);
    expect(effects({ action: "snapshot" })).toEqual([]);
  });
});

describe("the browser is not used", () => {
  test.each([
    ["its browser knows no proxy", { ignoresProxy: true }, "ERR_CONNECTION_REFUSED"],
    ["its pages go past the proxy", { pagesEscape: true }, "ERR_NAME_NOT_RESOLVED"],
    ["its WebSockets go past the proxy", { socketsEscape: true }, "ERR_CONNECTION_REFUSED"],
    ["its documents keep WebRTC", { keepsWebRtc: true }, "a document was not held"],
    ["its documents may open windows", { opensWindows: true }, "a document was not held"],
  ])("where %s", async (_, faults, why) => {
    const { act, run } = await lab(faults);
    const url = await shop("br-not-held");
    const failure = await act({ action: "open", url }).catch((error: Error) => error.message);
    expect(failure).toContain("The browser was not used, because its pages could not be held");
    expect(failure).toContain(why);
    expect(run.open.size).toBe(0);
    expect(await heard("br-not-held")).toEqual([]);
  });
});

describe("a failure says what to do", () => {
  test.each([
    [429, "Browser time limit exceeded for today", {}, /used up for today.*web_fetch/],
    [429, "Rate limit exceeded", { "Retry-After": "20" }, /Try again in 20 seconds/],
    [503, "No browser available.", {}, /No browser is free\. Try again in a few minutes/],
    [400, "Bad Request", {}, /refused with status 400: Bad Request/],
  ])("%i %s", async (status, words, headers, expected) => {
    const { act, run } = await lab();
    run.refuseNext(status, words, headers);
    await expect(act({ action: "open", url: at("br-none") })).rejects.toThrow(expected);
  });

  test("the browser has gone, or none was opened", async () => {
    const { act, run, browser } = await lab();
    await expect(act({ action: "snapshot" })).rejects.toThrow(/^No page is open: .*Use action open/);
    await act({ action: "open", url: await shop("br-gone") });
    run.endAll();
    await expect.poll(() => browser.page).toBeUndefined();
    await expect(act({ action: "click", ref: "e1" })).rejects.toThrow(/^No page is open: .*Use action open/);
    expect((await act({ action: "open", url: await shop("br-gone") })).text).toContain("Look for one.");
  });

  test("an element is no longer there", async () => {
    const { act } = await lab();
    const { text } = await act({ action: "open", url: await shop("br-stale") });
    await act({ action: "click", ref: refOf(text, "About") });
    await expect(act({ action: "click", ref: refOf(text, "Find") })).rejects.toThrow(
      /There is no e3 on the page any more\. Take a snapshot/,
    );
  });

  test("a list lacks an option, a button takes no text", async () => {
    const { act } = await lab();
    const { text } = await act({ action: "open", url: await shop("br-fill") });
    await expect(act({ action: "type", ref: refOf(text, "Kind"), text: "wall" })).rejects.toThrow(
      "e2 has no option 'wall'. It has: table, floor.",
    );
    await expect(act({ action: "type", ref: refOf(text, "Find"), text: "x" })).rejects.toThrow("takes no text");
  });

  test("a field of the call is missing", async () => {
    const { act } = await lab();
    expect(() => act({ action: "open" })).toThrow(/action open needs url/);
    expect(() => act({ action: "type", ref: "e1" })).toThrow(/action type needs text/);
  });
});

test("a browser is released when no call came for a while", async () => {
  const { act, run, browser } = await lab({}, {});
  await act({ action: "open", url: await shop("br-idle") });
  await browser.during({ binding: browserBinding(run.url), idleMs: 20 }, async () => undefined);
  await expect.poll(() => run.open.size).toBe(0);
  expect(browser.page).toBeUndefined();
});
