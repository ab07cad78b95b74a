import { createExecutionContext, env, SELF, waitOnExecutionContext } from "cloudflare:test";
import { expect, test } from "vitest";
import { createApp } from "../../src/http/app.ts";
import type { OAuthPlace } from "../fakes/oauth-server.ts";
import { asked, call, finished, historyOf, say, script } from "./client.ts";
import { callsOf, configureMcp, consent, endTokens, heardOAuth, mcpAt, serveMcp, withServers } from "./mcp-lab.ts";
import { session } from "./session-lab.ts";

const ORIGIN = "https://isopod.test";
const COUNT = { name: "count", description: "Counts the lanterns of a pier." };

/** A browser that is logged in at a Worker with servers. */
interface Browser {
  open(address: string): Promise<{ status: number; text: string; headers: Headers }>;
}

async function browser(servers: object, Cookie?: string): Promise<Browser> {
  const bindings = { ...env, ISOPOD_CONFIG: JSON.stringify(withServers(JSON.parse(env.ISOPOD_CONFIG!), servers)) };
  const headers = { Cookie: Cookie ?? (await loginCookie()) };
  return {
    async open(address) {
      const context = createExecutionContext();
      const response = await createApp().request(new URL(address, ORIGIN).href, { headers }, bindings, context);
      const text = await response.text();
      await waitOnExecutionContext(context);
      return { status: response.status, text, headers: response.headers };
    },
  };
}

async function loginCookie(token = "test-token"): Promise<string> {
  const response = await SELF.fetch(`${ORIGIN}/v1/login`, {
    method: "POST",
    body: JSON.stringify({ token }),
    headers: { "Content-Type": "application/json" },
  });
  return response.headers.get("Set-Cookie")!.split(";")[0]!;
}

async function serverAt(place: string, oauth: OAuthPlace = {}): Promise<Record<string, object>> {
  await serveMcp(place, { tools: [COUNT], oauth });
  await fetch(mcpAt(place));
  return { [place]: { url: mcpAt(place), oauth: true } };
}

/** The link that leads on from a page. */
function linkIn(text: string): string {
  return /<a href="([^"]+)"/.exec(text)![1]!.replace(/&#38;/g, "&");
}

/** Signs in as an owner does, by following the links. */
async function signIn(place: string, { open }: Browser): Promise<string> {
  const { text } = await open(`/mcp/sign-in/${place}`);
  const back = await consent(linkIn(text));
  const again = await open(back.href);
  return (await open(linkIn(again.text))).text;
}

/** What a model is asked in a turn. */
async function bodyOf(
  name: string,
  calls: { name: string; args: object }[] = [],
): Promise<{ body: any; results: any[] }> {
  await script(name, [...calls.map((one) => ({ calls: [one] })), { text: "Done." }]);
  const before = (await asked(name)).length;
  expect(await finished((await say("Count them", name, session(name))).runId)).toMatchObject({ status: "ok" });
  const { messages } = await historyOf(session(name).sessionKey);
  return { body: (await asked(name))[before]!.body, results: messages.filter(({ role }: any) => role === "tool") };
}

async function typed(name: string, text: string): Promise<string> {
  const run: any = await finished((await say(text, name, session(name))).runId);
  return run.reply;
}

function systemIn(body: any): string {
  return JSON.stringify(body.messages[0]);
}

test("an owner signs in on Isopod's page, and the agent has the server's tools until the owner signs out", async () => {
  const servers = await serverAt("harbour");
  await configureMcp("mcp-harbour", servers);
  const before = await bodyOf("mcp-harbour");
  expect(systemIn(before.body)).toContain("The MCP server 'harbour' cannot be used now (signed_out)");
  expect(await typed("mcp-harbour", "/mcp")).toContain("this path: /mcp/sign-in/harbour");
  const owner = await browser(servers);
  const first = await owner.open("/mcp/sign-in/harbour");
  expect(first.headers.get("Referrer-Policy")).toBe("no-referrer");
  expect(first.headers.get("Content-Security-Policy")).toContain("default-src 'none'");
  expect(await signIn("harbour", owner)).toContain("Tools that it offers: 1.");
  await expect.poll(async () => systemIn((await bodyOf("mcp-harbour")).body)).not.toContain("signed_out");
  const { results } = await bodyOf("mcp-harbour", [{ name: "mcp_harbour_count", args: { pier: "north" } }]);
  expect(results.at(-1).text).toContain('{"pier":"north"}');
  expect(await callsOf("harbour")).toHaveLength(1);
  expect(await typed("mcp-harbour", "/mcp sign-out harbour")).toContain("its tokens are revoked");
  expect(await typed("mcp-harbour", "/mcp")).toContain("Its owner has signed out.");
  expect(await typed("mcp-harbour", "/mcp sign-out harbour")).toContain("Nobody is signed in");
});

test("a sign-in that is revoked in the middle of a conversation ends no turn, and the agent is told to say so", async () => {
  const servers = await serverAt("gone-midway");
  await configureMcp("mcp-midway", servers);
  await signIn("gone-midway", await browser(servers));
  await bodyOf("mcp-midway");
  await endTokens("gone-midway", "all");
  const { results } = await bodyOf("mcp-midway", [{ name: "mcp_gone-midway_count", args: {} }]);
  expect(results.at(-1)).toMatchObject({ isError: true });
  expect(results.at(-1).text).toContain(
    "before its owner signs in. Tell your owner, who can see with /mcp what is wrong.",
  );
  expect(await typed("mcp-midway", "/mcp")).toContain("/mcp/sign-in/gone-midway");
});

test("tokens are in no prompt, transcript, audit line or page", async () => {
  const servers = await serverAt("quiet");
  await configureMcp("mcp-quiet", servers);
  const page = await signIn("quiet", await browser(servers));
  const { body, results } = await bodyOf("mcp-quiet", [{ name: "mcp_quiet_count", args: {} }]);
  const audit = await (await call("GET", "/v1/audit?agentId=&kind=mcp")).text();
  expect(audit).toContain("signed in to quiet");
  const { given } = await heardOAuth("quiet");
  for (const text of [page, audit, JSON.stringify([body, results]), await typed("mcp-quiet", "/mcp")]) {
    expect(text).not.toContain(given[0]!.access);
    expect(text).not.toContain(given[0]!.refresh);
  }
});

test("only a login with the scope admin signs in, and only the one that began ends it", async () => {
  const servers = await serverAt("guarded");
  const nobody = await browser(servers, "isopod_login=none");
  expect(await nobody.open("/mcp/sign-in/guarded")).toMatchObject({
    status: 401,
    text: expect.stringContaining("Log in to Isopod"),
  });
  const { token } = await (await call("POST", "/v1/tokens", { name: "reader", scope: "write" })).json<any>();
  const writer = await browser(servers, await loginCookie(token));
  expect(await writer.open("/mcp/sign-in/guarded")).toMatchObject({ status: 403 });
  const owner = await browser(servers);
  const back = await consent(linkIn((await owner.open("/mcp/sign-in/guarded")).text));
  back.searchParams.set("again", "1");
  expect((await nobody.open(back.href)).status).toBe(401);
  const other = await browser(servers);
  expect(await other.open(back.href)).toMatchObject({ status: 400, text: expect.stringContaining("Another login") });
  expect(await owner.open(back.href)).toMatchObject({ status: 400, text: expect.stringContaining("No such sign-in") });
  expect((await heardOAuth("guarded")).tokens).toEqual([]);
});

test("a server without a sign-in has no page for one", async () => {
  const servers = { ...(await serverAt("plain")), headers: { url: mcpAt("plain") } };
  const { open } = await browser(servers);
  expect(await open("/mcp/sign-in/headers")).toMatchObject({ status: 404 });
  expect(await open("/mcp/sign-in/unknown")).toMatchObject({ status: 404 });
});

test("what a server and its authorization server say cannot become markup of the page", async () => {
  const servers = await serverAt("markup", { answersAs: '"><script>' });
  const { open } = await browser(servers);
  const back = await consent(linkIn((await open("/mcp/sign-in/markup")).text));
  back.searchParams.set("error", '"><script>alert(1)</script>');
  const first = await open(back.href);
  expect(first.text).not.toContain("<script");
  expect((await open(linkIn(first.text))).text).not.toContain("<script");
});
