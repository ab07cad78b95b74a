import { beforeAll, expect, inject, test } from "vitest";
import type { BrowserBinding } from "../../src/browser/browser-binding.ts";
import { at, heard, outsideHost, serve } from "../security/outside-lab.ts";
import { asked, call, finished, historyOf, say, script, waitFor } from "./client.ts";
import { configure, kill, session } from "./session-lab.ts";

const HTML = { "Content-Type": "text/html; charset=utf-8" };
const SHOP =
  '<title>Lamps</title><h1>Lamps</h1><p>Look for one.</p><input name="q" aria-label="Search"><button data-ask="find">Find</button>';

/** The binding, as the Worker has it: only the address behind it is another. */
const BROWSER: BrowserBinding = {
  fetch: (input, init) => fetch(`${inject("browserRun")}${new URL(input).pathname}${new URL(input).search}`, init),
};

beforeAll(async () => {
  await serve("browser", {
    "": { headers: HTML, body: SHOP },
    find: { headers: { "Content-Type": "text/plain" }, echo: true },
  });
});

const act = (args: object) => ({ calls: [{ name: "browser", args }] });
const URL_OF_SHOP = () => at("browser");

/** A session with a browser, where the owner is asked about hosts as usual. */
async function bound(name: string, tools: object = {}): Promise<void> {
  const change = (config: any) => ({
    ...config,
    tools,
    security: { egress: { ...config.security.egress, trusted: [] } },
  });
  await configure(name, change, { BROWSER });
}

async function toolResults(name: string): Promise<any[]> {
  const { messages } = await historyOf(session(name).sessionKey);
  return messages.filter(({ role }: any) => role === "tool");
}

async function questionOf(runId: string): Promise<{ id: string; tool: string; question: string }> {
  const view = async () => (await call("GET", `/v1/runs/${runId}`)).json<any>();
  await waitFor(async () => ((await view()).approvals ?? []).length > 0);
  return (await view()).approvals[0];
}

test("a shop is searched with the owner's word for what is typed, and the page stays for the next message", async () => {
  await bound("browser-shop");
  await script("browser-shop", [
    act({ action: "open", url: URL_OF_SHOP() }),
    act({ action: "type", ref: "e1", text: "brass lamp" }),
    act({ action: "click", ref: "e2" }),
    { text: "One lamp." },
    act({ action: "screenshot" }),
    act({ action: "close" }),
    { text: "Closed." },
  ]);
  const { runId } = await say("Find me a lamp", "browser-shop", session("browser-shop"));
  const question = await questionOf(runId);
  expect(question).toMatchObject({ tool: "browser" });
  expect(question.question).toMatch(/^Send this to a page of .*security\.flow.*\nbrass lamp$/s);
  expect(question.question).toContain(outsideHost);
  await call("POST", `/v1/approvals/${question.id}`, { decision: "allow-once" });
  expect(await finished(runId)).toMatchObject({ status: "ok" });
  const [opened, typed, clicked] = await toolResults("browser-shop");
  expect(opened).toMatchObject({ isError: false, labels: [`host:${outsideHost}`] });
  expect(opened.text).toMatch(/<<<EXTERNAL_UNTRUSTED_CONTENT id="[0-9a-f]{16}">>>\nSource: browser\n/);
  expect(typed.text).toContain('[e1] textbox "Search" = "brass lamp"');
  expect(clicked.text).toContain("q=brass+lamp");
  expect((await heard("browser")).map(({ method, path }) => `${method} /${path}`)).toEqual(["GET /", "POST /find"]);

  const next = await say("Show me", "browser-shop", session("browser-shop"));
  expect(await finished(next.runId)).toMatchObject({ status: "ok" });
  const [picture, closed] = (await toolResults("browser-shop")).slice(3);
  expect(picture).toMatchObject({ isError: false, images: [{ path: expect.stringMatching(/^inbox\/browser-/) }] });
  expect(closed.text).toBe("The browser is closed.");
});

test("after a page an address that nobody named is asked about before it is opened", async () => {
  await bound("browser-flow");
  await serve("browser-two", { "": { headers: HTML, body: SHOP } });
  const unnamed = `${at("browser-two")}?d=secret`;
  await script("browser-flow", [
    act({ action: "open", url: at("browser-two") }),
    act({ action: "open", url: unnamed }),
    { text: "Done." },
  ]);
  const { runId } = await say("Look", "browser-flow", session("browser-flow"));
  const question = await questionOf(runId);
  expect(question.question).toContain(unnamed);
  await call("POST", `/v1/approvals/${question.id}`, { decision: "deny" });
  expect(await finished(runId)).toMatchObject({ status: "ok" });
  expect((await heard("browser-two")).map(({ path }) => path)).toEqual([""]);
});

test("after the object has left memory the page is gone, and the call says to open it again", async () => {
  await bound("browser-evicted");
  await script("browser-evicted", [
    act({ action: "open", url: URL_OF_SHOP() }),
    { text: "Open." },
    act({ action: "snapshot" }),
    { text: "Gone." },
  ]);
  await finished((await say("Open it", "browser-evicted", session("browser-evicted"))).runId);
  await kill("browser-evicted");
  await bound("browser-evicted");
  await finished((await say("And now?", "browser-evicted", session("browser-evicted"))).runId);
  const [, gone] = await toolResults("browser-evicted");
  expect(gone).toMatchObject({ isError: true });
  expect(gone.text).toMatch(/^No page is open: .*Use action open with the address\.$/);
});

test("there is a browser only where one is bound, and where it is neither off nor denied", async () => {
  const toolsWith = async (name: string) => {
    await script(name, [{ text: "ok" }]);
    await finished((await say("x", name, session(name))).runId);
    return ((await asked(name)).at(-1)?.body.tools ?? []).map((tool: any) => tool.function.name);
  };
  await bound("browser-on");
  const names = await toolsWith("browser-on");
  expect(names.indexOf("browser")).toBe(names.indexOf("web_fetch") + 1);
  expect(await toolsWith("browser-unbound")).not.toContain("browser");
  await bound("browser-off", { web: { browser: { enabled: false } } });
  expect(await toolsWith("browser-off")).not.toContain("browser");
  await bound("browser-denied", { deny: ["group:web"] });
  expect(await toolsWith("browser-denied")).not.toContain("browser");
});
