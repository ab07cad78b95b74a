import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Command, endCommands } from "../cli/command.ts";
import { freePort } from "../cli/free-port.ts";
import type { LocalServer } from "../fakes/listen.ts";
import { startMcpServer } from "../fakes/mcp-server.ts";
import { type Browser, openBrowser } from "./browser.ts";

let folder: string;
let servers: LocalServer;
let browser: Browser;
/** The address that `npm start` prints for a browser, with the token in it. */
let link: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "isopod-sign-in-"));
  servers = await startMcpServer();
  const host = `localhost:${new URL(servers.url).port}`;
  const tools = [{ name: "count", description: "Counts lanterns." }];
  await fetch(`${servers.url}/control/pier`, {
    method: "PUT",
    body: JSON.stringify({ tools, oauth: { hasPage: true } }),
  });
  // For a browser this is another site than the one that Isopod is at.
  await fetch(`http://${host}/pier`);
  const config = {
    mcp: { servers: { pier: { url: `http://${host}/pier`, oauth: true } } },
    security: { egress: { allowPrivate: [host] } },
  };
  await writeFile(join(folder, ".dev.vars"), `ISOPOD_CONFIG='${JSON.stringify(config)}'\n`);
  const port = await freePort();
  const state = ["--persist-to", join(folder, "state"), "--vars", join(folder, ".dev.vars")];
  const isopod = Command.run("start", ["--port", String(port), ...state]);
  await isopod.says("Ctrl-C ends it");
  link = /Web chat\s+(\S+)/.exec(isopod.out)?.[1] ?? "";
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await endCommands();
  await servers.close();
  await rm(folder, { recursive: true, force: true });
});

test("a browser that comes back from another site has its login with it, and ends the sign-in", async () => {
  const { page, troubles } = browser;
  const signIn = new URL("/mcp/sign-in/pier", link).href;
  await page.goto(signIn);
  await page.getByRole("heading", { name: "Log in first" }).waitFor();
  await page.goto(link);
  await page.getByRole("textbox").first().waitFor();
  await page.goto(signIn);
  await page.getByRole("link", { name: /^Go on at localhost:/ }).click();
  await page.getByRole("link", { name: "Allow" }).click();
  await page.getByRole("heading", { name: "Signed in to pier" }).waitFor();
  await page.getByText("Tools that it offers: 1.").waitFor();
  await page.reload();
  await page.getByText("No such sign-in waits").waitFor();
  assert.deepEqual(troubles, []);
});
