import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import type { McpServer } from "../../src/config/mcp-schema.ts";
import { authorizedFetch } from "../../src/mcp/authorized-fetch.ts";
import { askServer } from "../../src/mcp/list-server.ts";
import type { McpDeps } from "../../src/mcp/mcp-deps.ts";
import { beginSignIn, endSignIn, signOut } from "../../src/mcp/sign-in.ts";
import { readSignIn, saveLost, saveRenewed } from "../../src/mcp/sign-in-store.ts";
import { readDataKey } from "../../src/security/data-key.ts";
import { openStreamingEgress } from "../../src/security/safe-fetch.ts";
import { wholeSchema } from "../../src/services/config-schema.ts";
import type { OAuthPlace } from "../fakes/oauth-server.ts";
import { consent, endTokens, heardMcp, heardOAuth, mcpAt, mcpHost, serveMcp } from "../flow/mcp-lab.ts";
import { at, heard, serve } from "../security/outside-lab.ts";

const REDIRECT = "https://isopod.test/mcp/callback";
const COUNT = { name: "count", description: "Counts." };
const dataKey = readDataKey(env.ISOPOD_DATA_KEY) as McpDeps["dataKey"];

/** What reaching servers needs; the fake servers may be reached. */
function depsWith(more: Partial<McpDeps> = {}): McpDeps & { lost: string[] } {
  const { security } = wholeSchema.parse({ security: { egress: { allowPrivate: [mcpHost] } } });
  const lost: string[] = [];
  return {
    database: env.DB,
    dataKey,
    fetch: openStreamingEgress(security.egress, "workerd"),
    secret: (name) => (name === "CLIENT_SECRET" ? "configured-secret" : undefined),
    noteHeldBack: async () => undefined,
    noteSignInLost: async (server, why) => void lost.push(`${server}: ${why}`),
    waitUntil: () => undefined,
    now: () => Date.now(),
    lost,
    ...more,
  };
}

/** A server whose place has an authorization server. */
async function serverAt(place: string, behaviour: OAuthPlace = {}, oauth: unknown = true): Promise<McpServer> {
  await serveMcp(place, { tools: [COUNT], oauth: behaviour });
  // The place is made by its first request.
  await fetch(mcpAt(place));
  const { mcp } = wholeSchema.parse({ mcp: { servers: { [place]: { url: mcpAt(place), oauth } } } });
  return { name: place, config: mcp.servers[place]! };
}

/** Has an owner sign in, and gives what the browser came back with. */
async function signIn(server: McpServer, deps = depsWith(), login = "owner"): Promise<URLSearchParams> {
  const { address } = await beginSignIn(server, { redirectUri: REDIRECT, login }, deps);
  const back = (await consent(address)).searchParams;
  await endSignIn(back, { login, servers: [server] }, deps);
  return back;
}

test("an owner signs in with a registered client, PKCE and the resource, and the server is used with the token", async () => {
  const server = await serverAt("signs-in");
  const deps = depsWith();
  expect(await askServer(server, deps)).toMatchObject({ failure: { kind: "signed_out" } });
  await signIn(server, deps);
  expect(await askServer(server, deps)).toMatchObject({ kind: "listed", listing: { tools: [{ tool: "count" }] } });
  const { registered, authorized, tokens, given } = await heardOAuth("signs-in");
  expect(registered).toMatchObject([
    { redirect_uris: [REDIRECT], application_type: "web", scope: "count offline_access" },
  ]);
  expect(authorized[0]).toMatchObject({
    code_challenge_method: "S256",
    resource: mcpAt("signs-in"),
    scope: "count offline_access",
  });
  expect(tokens[0]).toMatchObject({ grant_type: "authorization_code", resource: mcpAt("signs-in") });
  const used = (await heardMcp("signs-in")).map(({ headers }) => headers.authorization);
  expect(used.at(-1)).toBe(`Bearer ${given[0]!.access}`);
});

test("no token, secret, code or state is stored in a form that can be read", async () => {
  const server = await serverAt("sealed");
  const deps = depsWith();
  const { address } = await beginSignIn(server, { redirectUri: REDIRECT, login: "cookie-of-owner" }, deps);
  const begun = JSON.stringify(await env.DB.prepare("SELECT * FROM mcp_sign_in_attempts").all());
  const back = (await consent(address)).searchParams;
  await endSignIn(back, { login: "cookie-of-owner", servers: [server] }, deps);
  const stored = begun + JSON.stringify(await env.DB.prepare("SELECT * FROM mcp_sign_ins").all());
  const { given, tokens } = await heardOAuth("sealed");
  const secrets = [
    given[0]!.access,
    given[0]!.refresh,
    tokens[0]!.code_verifier!,
    back.get("state")!,
    "cookie-of-owner",
  ];
  const [, password = ""] = atob(tokens[0]!.authorization!.replace("Basic ", "")).split(":");
  for (const secret of [...secrets, password]) {
    expect(secret.length).toBeGreaterThan(10);
    expect(stored).not.toContain(secret);
  }
});

test("a configured client is used in place of a registered one, and its secret stays in the environment", async () => {
  const oauth = { clientId: "known", clientSecret: { source: "env", id: "CLIENT_SECRET" }, scopes: ["count"] };
  const client = { id: "known", secret: "configured-secret" };
  const server = await serverAt("own-client", { isClosed: true, client, lifeSeconds: 1 }, oauth);
  const deps = depsWith();
  await signIn(server, deps);
  expect(await askServer(server, deps)).toMatchObject({ kind: "listed" });
  const { registered, tokens, authorized } = await heardOAuth("own-client");
  expect(registered).toEqual([]);
  expect(authorized[0]).toMatchObject({ client_id: "known", scope: "count" });
  expect(tokens.map(({ authorization }) => atob(authorization!.replace("Basic ", "")))).toEqual(
    tokens.map(() => "known:configured-secret"),
  );
  const opened = await env.DB.prepare("SELECT sealed FROM mcp_sign_ins WHERE server = 'own-client'").first<any>();
  const text = await dataKey!.open(opened.sealed, `sign-in of the MCP server own-client at ${mcpAt("own-client")}`);
  expect(text).toContain('"client_id":"known"');
  expect(text).not.toContain("configured-secret");
});

test("a wrong, a replayed, an old or another login's answer of the browser ends no sign-in", async () => {
  const server = await serverAt("states");
  const deps = depsWith();
  const end = (back: URLSearchParams, login = "owner", later = 0) =>
    endSignIn(back, { login, servers: [server] }, depsWith({ now: () => Date.now() + later }));
  const begin = async () => {
    const { address } = await beginSignIn(server, { redirectUri: REDIRECT, login: "owner" }, deps);
    return (await consent(address)).searchParams;
  };
  const back = await begin();
  await expect(end(new URLSearchParams({ state: "guessed", code: back.get("code")! }))).rejects.toThrow(
    "No such sign-in",
  );
  await expect(end(new URLSearchParams({ code: back.get("code")! }))).rejects.toThrow("No such sign-in");
  await expect(end(back, "someone else")).rejects.toThrow("Another login");
  await expect(end(back)).rejects.toThrow("No such sign-in");
  const late = await begin();
  await expect(end(late, "owner", 10 * 60_000)).rejects.toThrow("took too long");
  const replaced = await begin();
  const good = await begin();
  await expect(end(replaced)).rejects.toThrow("No such sign-in");
  await end(good);
  await expect(end(good)).rejects.toThrow("No such sign-in");
  expect((await heardOAuth("states")).tokens).toHaveLength(1);
});

test("an owner who says no is not signed in, and may begin again, for which one client is enough", async () => {
  const server = await serverAt("denied", { denies: true });
  await expect(signIn(server)).rejects.toThrow("refuses: access_denied");
  expect(await askServer(server, depsWith())).toMatchObject({ failure: { kind: "signed_out" } });
  await serveMcp("denied", { tools: [COUNT], oauth: {} });
  const deps = depsWith();
  await beginSignIn(server, { redirectUri: REDIRECT, login: "owner" }, deps);
  await signIn(server, deps);
  expect((await heardOAuth("denied")).registered).toHaveLength(2);
});

test("callers that need a new token at once have it renewed by one of them, and all go on with it", async () => {
  const server = await serverAt("renewed");
  await signIn(server);
  await endTokens("renewed", "access");
  const ask = () => askServer(server, depsWith());
  const all = await Promise.all([ask(), ask(), ask(), ask()]);
  expect(all.map(({ kind }) => kind)).toEqual(["listed", "listed", "listed", "listed"]);
  const { tokens, given } = await heardOAuth("renewed");
  expect(tokens.map(({ grant_type }) => grant_type)).toEqual(["authorization_code", "refresh_token"]);
  expect(tokens[1]).toMatchObject({ refresh_token: given[0]!.refresh, resource: mcpAt("renewed") });
  // The refresh token has changed, too: the next renewal has the new one.
  await endTokens("renewed", "access");
  expect(await ask()).toMatchObject({ kind: "listed" });
  expect((await heardOAuth("renewed")).tokens.at(-1)).toMatchObject({ refresh_token: given[1]!.refresh });
});

test("a token that ends soon is renewed before it is sent", async () => {
  const server = await serverAt("ends-soon", { lifeSeconds: 30 });
  await signIn(server);
  await serveMcp("ends-soon", { tools: [COUNT], oauth: {} });
  const before = (await heardMcp("ends-soon")).length;
  expect(await askServer(server, depsWith())).toMatchObject({ kind: "listed" });
  const { given } = await heardOAuth("ends-soon");
  const used = (await heardMcp("ends-soon")).slice(before).map(({ headers }) => headers.authorization);
  expect(new Set(used)).toEqual(new Set([`Bearer ${given[1]!.access}`]));
});

test("a sign-in that was revoked there is lost, which is noted once, and another one helps", async () => {
  const server = await serverAt("revoked");
  const deps = depsWith();
  await signIn(server, deps);
  await endTokens("revoked", "all");
  const failure = {
    kind: "signed_out",
    message: expect.stringContaining("its authorization server says invalid_grant"),
  };
  expect(await askServer(server, deps)).toMatchObject({ failure });
  expect(await askServer(server, deps)).toMatchObject({ failure });
  expect(deps.lost).toEqual(["revoked: its authorization server says invalid_grant"]);
  expect((await heardOAuth("revoked")).tokens).toHaveLength(2);
  await signIn(server, deps);
  expect(await askServer(server, deps)).toMatchObject({ kind: "listed" });
});

test("a sign-in that cannot be renewed outlives a 401 until its token has ended", async () => {
  const server = await serverAt("moody", { hasNoRefresh: true });
  const deps = depsWith();
  await signIn(server, deps);
  const { given } = await heardOAuth("moody");
  const used: (string | null)[] = [];
  const refusing = async (_url: string | URL, init: { headers?: HeadersInit | undefined } = {}) => {
    used.push(new Headers(init.headers).get("Authorization"));
    return new Response(null, { status: 401 });
  };
  const refused = authorizedFetch(refusing, server, deps)(server.config.url);
  await expect(refused).rejects.toThrow("It refuses the tokens of its own authorization server.");
  expect(used).toEqual([`Bearer ${given[0]!.access}`]);
  expect(deps.lost).toEqual([]);
  expect(await askServer(server, deps)).toMatchObject({ kind: "listed" });
  const later = depsWith({ now: () => Date.now() + 3_600_000 });
  expect(await askServer(server, later)).toMatchObject({ failure: { kind: "signed_out" } });
  expect(later.lost).toEqual(["moody: its token has ended, and cannot be renewed"]);
});

test("an authorization server that is away for a while ends no sign-in", async () => {
  const server = await serverAt("flaky");
  await signIn(server);
  await endTokens("flaky", "access");
  await serveMcp("flaky", { tools: [COUNT], oauth: { refuses: "temporarily_unavailable" } });
  expect(await askServer(server, depsWith())).toMatchObject({ failure: { kind: "away" } });
  await serveMcp("flaky", { tools: [COUNT], oauth: {} });
  expect(await askServer(server, depsWith())).toMatchObject({ kind: "listed" });
});

test("an authorization server without PKCE or registration, or with the issuer or resource of another, is refused", async () => {
  const begin = async (place: string, behaviour: OAuthPlace) =>
    beginSignIn(await serverAt(place, behaviour), { redirectUri: REDIRECT, login: "owner" }, depsWith());
  await expect(begin("no-pkce", { pkce: null })).rejects.toThrow("PKCE");
  await expect(begin("plain-pkce", { pkce: ["plain"] })).rejects.toThrow("PKCE");
  await expect(begin("other-issuer", { issuer: "https://accounts.example" })).rejects.toThrow(
    "another authorization server",
  );
  await expect(begin("other-resource", { resource: "https://bank.example/mcp" })).rejects.toThrow("another server");
  await expect(begin("no-registration", { isClosed: true })).rejects.toThrow("oauth.clientId");
});

test("an answer in the name of another issuer is refused before its code is sent anywhere", async () => {
  const server = await serverAt("mixed-up", { answersAs: "https://evil.example" });
  await expect(signIn(server)).rejects.toThrow("another authorization server");
  expect((await heardOAuth("mixed-up")).tokens).toEqual([]);
});

test("a server that names another authorization server later gets no token sent there", async () => {
  const server = await serverAt("moves");
  await signIn(server);
  await endTokens("moves", "access");
  await serverAt("thief");
  await serveMcp("moves", { tools: [COUNT], oauth: { authorizationServer: `${mcpAt("thief")}/as` } });
  expect(await askServer(server, depsWith())).toMatchObject({ kind: "listed" });
  expect((await heardOAuth("thief")).tokens).toEqual([]);
});

test("a redirect of the token endpoint to another host is not followed", async () => {
  await serve("caught", { "/": { body: "{}" } });
  const server = await serverAt("redirects", { tokensAt: at("caught") });
  await expect(signIn(server)).rejects.toThrow("refuses");
  expect(await heard("caught")).toEqual([]);
});

test("a server cannot have loopback, private or metadata addresses asked", async () => {
  await serve("inside", { "/": { body: "{}" } });
  const begin = (server: McpServer) => beginSignIn(server, { redirectUri: REDIRECT, login: "owner" }, depsWith());
  const addresses = [
    at("inside"),
    "http://169.254.169.254/latest",
    "http://10.0.0.1/x",
    "https://metadata.google.internal/x",
  ];
  for (const [index, address] of addresses.entries()) {
    await expect(begin(await serverAt(`inside-${index}`, { authorizationServer: address })), address).rejects.toThrow(
      /not on the public internet|private network/,
    );
  }
  // What is refused here is looked for at its own address.
  const server = await serverAt("inside-metadata", { metadataAt: at("inside") });
  await beginSignIn(server, { redirectUri: REDIRECT, login: "owner" }, depsWith()).catch(() => undefined);
  expect(await heard("inside")).toEqual([]);
});

test("a server that wants more rights says which, and other origins never get the token", async () => {
  const server = await serverAt("scoped", { needs: "admin" });
  await signIn(server);
  expect(await askServer(server, depsWith())).toMatchObject({
    failure: {
      kind: "signed_out",
      message: expect.stringContaining("(admin): name them in mcp.servers.scoped.oauth.scopes"),
    },
  });
  const sent: unknown[] = [];
  const outer = async (url: string | URL, init?: object) => {
    sent.push([String(url), init]);
    return new Response();
  };
  const fetch = authorizedFetch(outer, server, depsWith());
  await fetch("https://elsewhere.example/mcp", { method: "POST" });
  expect(sent).toEqual([["https://elsewhere.example/mcp", { method: "POST" }]]);
});

test("a sign-in counts for the address that it was made for, and not without its key", async () => {
  const server = await serverAt("addressed");
  await signIn(server);
  const moved = { ...server, config: { ...server.config, url: mcpAt("elsewhere") } };
  expect(await askServer(moved, depsWith())).toMatchObject({ failure: { message: "Its owner has not signed in." } });
  const other = readDataKey(Buffer.alloc(32, "other").toString("base64")) as McpDeps["dataKey"];
  expect(await askServer(server, depsWith({ dataKey: other }))).toMatchObject({
    failure: { kind: "signed_out", message: expect.stringContaining("cannot be decrypted with ISOPOD_DATA_KEY") },
  });
  expect(await askServer(server, depsWith({ dataKey: undefined }))).toMatchObject({
    failure: { kind: "misconfigured", message: expect.stringContaining("Set ISOPOD_DATA_KEY to 32 random bytes") },
  });
});

test("the client of an attempt that has ended is not used again", async () => {
  const server = await serverAt("abandoned");
  const begin = (later: number) =>
    beginSignIn(server, { redirectUri: REDIRECT, login: "owner" }, depsWith({ now: () => Date.now() + later }));
  await begin(0);
  await begin(5 * 60_000);
  expect((await heardOAuth("abandoned")).registered).toHaveLength(1);
  await begin(16 * 60_000);
  expect((await heardOAuth("abandoned")).registered).toHaveLength(2);
});

test("a client is used again for scopes that it was registered for, and registered anew for others", async () => {
  const server = await serverAt("widened");
  const wanting = (oauth: unknown) => {
    const { mcp } = wholeSchema.parse({ mcp: { servers: { widened: { url: mcpAt("widened"), oauth } } } });
    return { name: "widened", config: mcp.servers.widened! };
  };
  await signIn(server);
  await signIn(wanting({ scopes: ["count"] }));
  expect((await heardOAuth("widened")).registered).toHaveLength(1);
  await signIn(wanting({ scopes: ["count", "admin"] }));
  const { registered } = await heardOAuth("widened");
  expect(registered.map(({ scope }) => scope)).toEqual(["count offline_access", "count admin"]);
});

test("the client that a configuration named before is not used once it names none", async () => {
  const client = { id: "former", secret: "configured-secret" };
  const oauth = { clientId: "former", clientSecret: { source: "env", id: "CLIENT_SECRET" } };
  const server = await serverAt("former-client", { client }, oauth);
  await signIn(server);
  await signIn({ ...server, config: { ...server.config, oauth: true } });
  const { registered, authorized } = await heardOAuth("former-client");
  expect(registered).toHaveLength(1);
  expect(authorized.map(({ client_id }) => client_id === "former")).toEqual([true, false]);
});

test("what is based on tokens from before signing out changes no later sign-in", async () => {
  const server = await serverAt("returns");
  const deps = depsWith();
  await signIn(server, deps);
  const place = { name: "returns", url: server.config.url };
  const store = { database: env.DB, dataKey: dataKey! };
  const { version, signIn: older } = (await readSignIn(place, store))!;
  await signOut(server, deps);
  expect(await readSignIn(place, store)).toBeUndefined();
  await signIn(server, deps);
  const newer = await readSignIn(place, store);
  await saveRenewed(place, version, older!, store);
  await saveLost("returns", version, "its token has ended", env.DB);
  expect(await readSignIn(place, store)).toEqual(newer);
});

test("signing out deletes the tokens here and has them revoked there", async () => {
  const server = await serverAt("leaves");
  await signIn(server);
  const { given } = await heardOAuth("leaves");
  expect(await signOut(server, depsWith())).toBe(true);
  expect((await heardOAuth("leaves")).revoked).toEqual([given[0]!.refresh, given[0]!.access]);
  expect(await signOut(server, depsWith())).toBeUndefined();
  expect(await askServer(server, depsWith())).toMatchObject({ failure: { kind: "signed_out" } });
});
