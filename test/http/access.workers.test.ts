import { env, SELF } from "cloudflare:test";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { beforeAll, expect, inject, test } from "vitest";
import { call } from "../flow/client.ts";

const ORIGIN = "https://isopod.test";
const AUDIENCE = "4714c1358e65fe4b408ad6d432a5f878";
/** The fake of the team's domain; its signing keys are at /cdn-cgi/access/certs. */
const TEAM = inject("outside");

type Pair = Awaited<ReturnType<typeof generateKeyPair>>;
let keys: Pair;

beforeAll(async () => {
  keys = await generateKeyPair("RS256");
  await publish({ "key-1": keys });
  await configureAccess({ scopes: { "reader@example.org": "read" } });
});

async function publish(pairs: Record<string, Pair>) {
  const jwks = await Promise.all(
    Object.entries(pairs).map(async ([kid, { publicKey }]) => ({ ...(await exportJWK(publicKey)), kid, alg: "RS256" })),
  );
  const answers = { "access/certs": { body: JSON.stringify({ keys: jwks }) } };
  await fetch(`${TEAM}/control/cdn-cgi`, { method: "PUT", body: JSON.stringify({ answers }) });
}

async function configureAccess(more: object = {}) {
  const access = { teamDomain: TEAM, audience: [AUDIENCE], ...more };
  const config = { ...JSON.parse(env.ISOPOD_CONFIG ?? "{}"), security: { access } };
  const response = await call("PUT", "/v1/config", config, { "If-Match": "*" });
  expect(response.status, await response.clone().text()).toBe(200);
}

interface Claims {
  claims?: Record<string, unknown>;
  by?: Pair;
  kid?: string;
  audience?: string;
  issuer?: string;
  expires?: string;
}

function signed({ claims = { email: "Olga@example.org" }, by = keys, kid = "key-1", ...more }: Claims = {}) {
  return new SignJWT(claims)
    .setProtectedHeader({ alg: "RS256", kid })
    .setIssuer(more.issuer ?? TEAM)
    .setAudience(more.audience ?? AUDIENCE)
    .setIssuedAt()
    .setExpirationTime(more.expires ?? "1h")
    .sign(by.privateKey);
}

function through(assertion: string, path = "/v1/me", init: RequestInit<any> = {}) {
  return SELF.fetch(`${ORIGIN}${path}`, {
    ...init,
    headers: { "Cf-Access-Jwt-Assertion": assertion, ...(init.headers as Record<string, string>) },
  });
}

test("a person whom Access lets in needs no access token, and is named in the audit trail", async () => {
  const response = await through(await signed());
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ scopes: ["read", "write", "admin"], signOutPath: expect.any(String) });
  const { entries } = await (await call("GET", "/v1/audit?agentId=&kind=login")).json<any>();
  expect(entries[0]).toMatchObject({ by: "olga@example.org", subject: "Cloudflare Access", detail: "admin" });
});

test("a person's own scope holds", async () => {
  const assertion = await signed({ claims: { email: "reader@example.org" } });
  expect((await through(assertion)).status).toBe(200);
  const headers = { Origin: ORIGIN, "Content-Type": "application/json" };
  const refused = await through(assertion, "/v1/agent", { method: "POST", headers, body: '{"message":"Hi"}' });
  expect(refused.status).toBe(403);
  expect((await refused.json<any>()).error.message).toContain("'reader@example.org' has 'read'");
});

test("another site cannot use what the browser sends along", async () => {
  const headers = { Origin: "https://elsewhere.test", "Content-Type": "application/json" };
  const init = { method: "POST", headers, body: '{"message":"Hi"}' };
  expect((await through(await signed(), "/v1/agent", init)).status).toBe(403);
});

test("a service token sends no Origin", async () => {
  const assertion = await signed({ claims: { common_name: "e3.access", sub: "" } });
  const made = await through(assertion, "/v1/tokens", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ name: "by a service", scope: "read" }),
  });
  expect(made.status).toBe(201);
});

test.each<[string, Claims & { none?: boolean }, RegExp]>([
  ["of another application", { audience: "another" }, /"aud"/],
  ["of another team", { issuer: "https://another.cloudflareaccess.com" }, /"iss"/],
  ["that has expired", { expires: "1s ago" }, /"exp"/],
  ["that names nobody", { claims: {} }, /neither a person nor a service token/],
  ["with a key that is not the team's", { kid: "key-9" }, /no applicable key/],
])("a token %s is refused, saying so", async (_, claims, reason) => {
  const response = await through(await signed(claims));
  expect(response.status).toBe(401);
  const { error } = await response.json<any>();
  expect(error.message).toMatch(reason);
  expect(error.hint).toContain("security.access");
});

test("a token that somebody else signed, or nobody, is refused", async () => {
  const forged = await signed({ by: await generateKeyPair("RS256") });
  expect((await through(forged)).status).toBe(401);
  const [, payload] = (await signed()).split(".");
  const head = btoa(JSON.stringify({ alg: "none" })).replace(/=+$/, "");
  expect((await through(`${head}.${payload}.`)).status).toBe(401);
  expect((await through("no token")).status).toBe(401);
});

test("keys that cannot be read are another error than a token that is not valid", async () => {
  await configureAccess({ teamDomain: "http://localhost:9" });
  const response = await through(await signed({ issuer: "http://localhost:9" }));
  expect(response.status).toBe(503);
  expect((await response.json<any>()).error.message).toContain("http://localhost:9");
  await configureAccess();
});

test("without Access in the configuration its header says nothing", async () => {
  await call("PUT", "/v1/config", JSON.parse(env.ISOPOD_CONFIG ?? "{}"), { "If-Match": "*" });
  const response = await through(await signed());
  expect(response.status).toBe(401);
  expect((await response.json<any>()).error.message).toBe("A valid access token is needed.");
});

test("the address of the team must be https", async () => {
  const security = { access: { teamDomain: "http://example.cloudflareaccess.com", audience: [AUDIENCE] } };
  const response = await call(
    "PUT",
    "/v1/config",
    { ...JSON.parse(env.ISOPOD_CONFIG ?? "{}"), security },
    { "If-Match": "*" },
  );
  expect(response.status).toBe(400);
  expect(await response.text()).toContain("security.access.teamDomain");
});
