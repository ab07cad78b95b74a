import { env, SELF } from "cloudflare:test";
import { expect, test } from "vitest";
import { createApp } from "../../src/http/app.ts";
import { scopeOf } from "../../src/http/scopes.ts";
import { call } from "../flow/client.ts";

const ORIGIN = "https://isopod.test";

async function made(scope: string, more: object = {}) {
  const response = await call("POST", "/v1/tokens", { name: `a ${scope}`, scope, ...more });
  expect(response.status).toBe(201);
  return response.json<{ id: string; token: string; scope: string }>();
}

function as(token: string, path: string, method = "GET", body?: object) {
  // Wrong tokens count by address, and files share an isolate.
  const headers = {
    Authorization: `Bearer ${token}`,
    "Content-Type": "application/json",
    "CF-Connecting-IP": "192.0.2.1",
  };
  return SELF.fetch(`${ORIGIN}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
}

test("a token is shown once, listed without its secret, and refused once it is revoked", async () => {
  const { id, token } = await made("write");
  expect(token).toMatch(/^isp_[0-9a-z]{52}$/);
  const listed = await (await call("GET", "/v1/tokens")).text();
  expect(listed).toContain(id);
  expect(listed).not.toContain(token);
  const { results } = await env.DB.prepare("select * from tokens").all();
  expect(JSON.stringify(results)).not.toContain(token);
  expect((await (await as(token, "/v1/me")).json<any>()).scopes).toEqual(["read", "write"]);
  expect((await call("DELETE", `/v1/tokens/${id}`)).status).toBe(204);
  expect((await as(token, "/v1/me")).status).toBe(401);
  expect((await call("DELETE", `/v1/tokens/${id}`)).status).toBe(404);
  const audit = await (await call("GET", "/v1/audit?agentId=&kind=token")).json<any>();
  expect(audit.entries.map(({ detail }: any) => detail)).toEqual(["revoked", "made, write"]);
});

test("an expired token is refused", async () => {
  const { token, id } = await made("read", { expiresInDays: 1 });
  await env.DB.prepare("update tokens set expires_at = 1 where id = ?").bind(id).run();
  expect((await as(token, "/v1/me")).status).toBe(401);
});

test("every route refuses a token with less than its scope, and says which it needs", async () => {
  const tokens = { read: await made("read"), write: await made("write") };
  const routes = createApp().routes.filter(
    ({ path, method }) => path.startsWith("/v1/") && !path.includes("*") && method !== "ALL",
  );
  const paths = new Map(
    routes.map(({ method, path }) => [
      `${method} ${path}`,
      { method, path: path.replace(/:\w+(?:\{[^}]*\})?/g, "main") },
    ]),
  );
  expect(paths.size).toBeGreaterThan(50);
  for (const { method, path } of paths.values()) {
    if (path === "/v1/login") continue;
    const needed = scopeOf(method, path);
    for (const [scope, { token }] of Object.entries(tokens)) {
      const isEnough = needed === "read" || needed === scope;
      if (isEnough) continue;
      const response = await as(token, path, method);
      expect([method, path, scope, response.status]).toEqual([method, path, scope, 403]);
      if (method !== "HEAD") expect(await response.text()).toContain(`the scope '${needed}'`);
    }
  }
});

test("a read token may look and may not speak", async () => {
  const { token } = await made("read");
  expect((await as(token, "/v1/sessions")).status).toBe(200);
  expect((await as(token, "/v1/agent", "POST", { message: "Hello" })).status).toBe(403);
  expect((await as(token, "/v1/pairings")).status).toBe(403);
});

test("a login has the scope of its token, and ends with it", async () => {
  const { token, id } = await made("write");
  const login = await as("", "/v1/login", "POST", { token });
  expect(login.status).toBe(204);
  const cookie = login.headers.get("Set-Cookie")!;
  expect(cookie).toMatch(/^__Host-isopod_login=.*; Path=\/.*Secure/);
  const me = () => SELF.fetch(`${ORIGIN}/v1/me`, { headers: { Cookie: cookie.split(";")[0]! } });
  expect((await (await me()).json<any>()).scopes).toEqual(["read", "write"]);
  await call("DELETE", `/v1/tokens/${id}`);
  const { results } = await env.DB.prepare("select * from logins where token_id = ?").bind(id).all();
  expect(results).toEqual([]);
});

test("the cookie of a machine of one's own depends on the port", async () => {
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify({ token: "test-token" });
  const login = await SELF.fetch("http://127.0.0.1:8790/v1/login", { method: "POST", headers, body });
  expect(login.headers.get("Set-Cookie")).toMatch(/^isopod_login_8790=/);
});

test("after ten wrong tokens from one address the next ones wait, and the right one does not", async () => {
  const headers = { "CF-Connecting-IP": "203.0.113.9", "Content-Type": "application/json" };
  const attempt = (token: string) =>
    SELF.fetch(`${ORIGIN}/v1/login`, { method: "POST", headers, body: JSON.stringify({ token }) });
  const statuses: number[] = [];
  for (let n = 0; n < 12; n++) statuses.push((await attempt(`guess ${n}`)).status);
  expect(statuses).toEqual([...Array(10).fill(401), 429, 429]);
  const last = await attempt("another");
  expect(Number(last.headers.get("Retry-After"))).toBeGreaterThan(200);
  expect((await attempt("test-token")).status).toBe(204);
});

test("JSON answers are stored by nobody and guessed by no browser", async () => {
  for (const response of [await call("GET", "/v1/sessions"), await SELF.fetch(`${ORIGIN}/v1/sessions`)]) {
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
  }
});
