import { env, SELF } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { createApp } from "../../src/http/app.ts";
import { call, finished, say, script } from "../flow/client.ts";

const ORIGIN = "https://isopod.test";

async function errorOf(response: Response) {
  return { status: response.status, ...(await response.json<{ error: { code: string; message: string } }>()).error };
}

test("no two routes overlap, so that Hono keeps its fast router", () => {
  const { router } = createApp();
  router.match("GET", "/healthz");
  expect(router.name).toBe("SmartRouter + RegExpRouter");
});

describe("who may call", () => {
  test("without a token only the public routes answer", async () => {
    for (const path of ["/v1/sessions", "/v1/me", "/v1/budgets", "/v1/agents/main/workspace", "/v1/nothing"]) {
      expect((await SELF.fetch(`${ORIGIN}${path}`)).status).toBe(401);
    }
    expect((await SELF.fetch(`${ORIGIN}/healthz`)).status).toBe(200);
    expect((await SELF.fetch(`${ORIGIN}/openapi.json`)).status).toBe(200);
    expect((await SELF.fetch(`${ORIGIN}/docs`)).status).toBe(200);
  });

  test("a wrong token is refused, however similar it is", async () => {
    for (const token of ["test-toke", "test-tokenn", "Test-token", "xtest-token"]) {
      // Wrong tokens count by address, and files share an isolate.
      const headers = { Authorization: `Bearer ${token}`, "CF-Connecting-IP": "192.0.2.2" };
      expect([token, (await SELF.fetch(`${ORIGIN}/v1/me`, { headers })).status]).toEqual([token, 401]);
    }
  });

  test("with no token configured the Worker refuses everything", async () => {
    const { createApp } = await import("../../src/http/app.ts");
    const { ISOPOD_TOKEN: _, ...bare } = env;
    const headers = { Authorization: "Bearer " };
    expect((await createApp().request("/v1/me", { headers }, { ...bare, ISOPOD_TOKEN: "" })).status).toBe(401);
    expect((await createApp().request("/v1/me", { headers }, bare)).status).toBe(401);
  });

  test("a browser logs in with the token, may use its cookie only from our own page, and logs out", async () => {
    const wrong = await call("POST", "/v1/login", { token: "guess" });
    expect(await errorOf(wrong)).toMatchObject({ status: 401, code: "unauthorized" });
    const login = await SELF.fetch(`${ORIGIN}/v1/login`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token: "test-token" }),
    });
    expect(login.status).toBe(204);
    const cookie = login.headers.get("Set-Cookie")!;
    expect(cookie).toMatch(/HttpOnly/);
    expect(cookie).toMatch(/Secure/);
    expect(cookie).toMatch(/SameSite=Strict/);
    const Cookie = cookie.split(";")[0]!;
    const me = (headers: Record<string, string>, path = "/v1/me", method = "GET") =>
      SELF.fetch(`${ORIGIN}${path}`, { method, headers: { Cookie, ...headers } });
    expect((await me({})).status).toBe(200);
    expect((await me({ Origin: "https://evil.test" })).status).toBe(403);
    expect((await me({ Origin: "https://evil.test" }, "/v1/logout", "POST")).status).toBe(403);
    expect((await me({}, "/v1/logout", "POST")).status).toBe(403);
    expect((await me({ Origin: ORIGIN }, "/v1/logout", "POST")).status).toBe(204);
    expect((await me({})).status).toBe(401);
  });
});

describe("refusals", () => {
  test("an unknown field is refused by its name", async () => {
    const response = await call("POST", "/v1/agent", { message: "x", mesage: "y" });
    expect(await errorOf(response)).toMatchObject({ status: 400, message: expect.stringContaining("mesage") });
    const query = await call("GET", "/v1/sessions?limti=3");
    expect(await errorOf(query)).toMatchObject({ status: 400, message: expect.stringContaining("limti") });
    for (const path of [`/v1/runs/run_${"0".repeat(52)}/abort`, "/v1/sessions/agent%3Amain%3Amain/abort"]) {
      const abort = await call("POST", `${path}?reason=x`);
      expect(await errorOf(abort)).toMatchObject({ status: 400, message: expect.stringContaining("reason") });
    }
  });

  test("a path that is not percent-encoded UTF-8 is refused on every route", async () => {
    for (const place of ["agents/main/workspace/", "agents/main/versions/", "sessions/", "runs/", "models/", "no/"]) {
      for (const odd of ["%ff", "a%C3%28", "a%", "%zz", "%ed%a0%80", "a%0ab", "a%00b", "a%e2%80%a8"]) {
        const refused = await errorOf(await call("GET", `/v1/${place}${odd}`));
        expect(refused).toMatchObject({ status: 400, message: expect.stringContaining(`/v1/${place}${odd}`) });
      }
    }
    const backslash = await errorOf(await call("PUT", "/v1/agents/main/workspace/notes%5Ca.md", "x"));
    expect(backslash).toMatchObject({ status: 400, message: expect.stringContaining("notes\\a.md") });
    expect((await call("GET", "/v1/agents/main/workspace/100%25.md")).status).toBe(404);
  });

  test("a number in a query may have decimal digits only", async () => {
    const run = `run_${"0".repeat(52)}`;
    const session = "/v1/sessions/agent%3Amain%3Amain";
    for (const number of ["0x10", "", "1e2", "-1", "+1", "1.0", "%201", "1_000", "9".repeat(20), "Infinity"]) {
      for (const path of [
        `/v1/sessions?limit=${number}`,
        `${session}/runs?limit=${number}`,
        `${session}/history?limit=${number}`,
        `${session}/history?before=${number}`,
        `${session}/events?after=${number}`,
        `/v1/runs/${run}/events?after=${number}`,
        `/v1/agent/wait?runId=${run}&timeoutMs=${number}`,
      ]) {
        expect([path, (await call("GET", path)).status]).toEqual([path, 400]);
      }
    }
    expect((await call("GET", "/v1/sessions?limit=16")).status).toBe(200);
  });

  test("a missing or wrong field is refused by its name with the expected type", async () => {
    expect(await errorOf(await call("POST", "/v1/agent", {}))).toMatchObject({
      status: 400,
      message: expect.stringContaining("message"),
    });
    const wrong = await call("POST", "/v1/agent", { message: "x", timeoutSeconds: -1 });
    expect(await errorOf(wrong)).toMatchObject({ status: 400, message: expect.stringContaining("timeoutSeconds") });
  });

  test("a body that is not JSON, too large or of another type is refused", async () => {
    expect((await call("POST", "/v1/agent", "{nope")).status).toBe(400);
    expect((await call("POST", "/v1/agent", JSON.stringify({ message: "x".repeat(16_000_000) }))).status).toBe(413);
    const login = await SELF.fetch(`${ORIGIN}/v1/login`, { method: "POST", body: "x".repeat(5000) });
    expect(login.status).toBe(413);
    const form = await call("POST", "/v1/agent", "message=x", { "Content-Type": "application/x-www-form-urlencoded" });
    expect(form.status).toBe(415);
  });

  test("a wrong method gets 405 with the allowed ones, a wrong path 404", async () => {
    const response = await call("DELETE", "/v1/agent");
    expect(response.headers.get("Allow")).toBe("POST");
    expect(await errorOf(response)).toMatchObject({ status: 405, code: "method_not_allowed" });
    expect(await errorOf(await call("POST", "/healthz"))).toMatchObject({ status: 405 });
    const login = await SELF.fetch(`${ORIGIN}/v1/login`);
    expect(login.headers.get("Allow")).toBe("POST");
    expect(await errorOf(login)).toMatchObject({ status: 405, code: "method_not_allowed" });
    expect(await errorOf(await call("GET", "/v1/nothing"))).toMatchObject({ status: 404, code: "not_found" });
  });

  test("an unknown resource gets 404 with a hint", async () => {
    for (const path of ["/v1/runs/run_1", `/v1/runs/run_${"0".repeat(52)}`, `/v1/runs/run_${"0".repeat(52)}/events`]) {
      expect(await errorOf(await call("GET", path))).toMatchObject({ status: 404, hint: expect.any(String) });
    }
    expect((await call("GET", `/v1/agent/wait?runId=run_${"0".repeat(52)}`)).status).toBe(404);
    expect((await call("POST", `/v1/runs/run_${"0".repeat(52)}/abort`)).status).toBe(404);
    expect((await call("POST", "/v1/agent", { message: "x", agentId: "nobody" })).status).toBe(404);
  });

  test("an invalid session key is refused", async () => {
    for (const sessionKey of ["main", "agent:main", "agent:Main:main", "agent:main:subagent", "agent:main:a:group:"]) {
      expect((await call("POST", "/v1/agent", { message: "x", sessionKey })).status).toBe(400);
    }
    const other = { message: "x", sessionKey: "agent:other:main", agentId: "main" };
    expect((await call("POST", "/v1/agent", other)).status).toBe(400);
  });

  test("a model that is not configured is refused before anything is stored", async () => {
    const response = await call("POST", "/v1/agent", { message: "x", model: "nowhere/model" });
    expect(await errorOf(response)).toMatchObject({ status: 400, code: "invalid_request" });
  });
});

describe("lists", () => {
  test("paging through a list loses no row, even among rows of the same millisecond", async () => {
    const row = {
      agentId: "main",
      sessionId: "ses_1",
      createdAt: 1,
      updatedAt: 7,
      lastRunId: "run_1",
      lastStatus: "ok",
    };
    const keys = ["a", "b", "c", "d", "e"].map((name) => `agent:main:hook:page-${name}`);
    for (const key of keys) {
      await env.DB.prepare("insert into sessions values (?, ?, ?, ?, ?, ?, ?, null, null, null, null)")
        .bind(key, row.agentId, row.sessionId, row.createdAt, row.updatedAt, row.lastRunId, row.lastStatus)
        .run();
    }
    const seen: string[] = [];
    let before: string | undefined;
    do {
      const query = before === undefined ? "" : `&before=${encodeURIComponent(before)}`;
      const page = await (await call("GET", `/v1/sessions?limit=2${query}`)).json<{
        sessions: { key: string }[];
        before?: string;
      }>();
      seen.push(...page.sessions.map(({ key }) => key));
      before = page.before;
    } while (before !== undefined);
    expect(seen.filter((key) => key.includes(":page-")).sort()).toEqual(keys);
  });
});

test("GET /v1/plugins lists the shipped plugins with their parts", async () => {
  const { plugins } = await (await call("GET", "/v1/plugins")).json<{ plugins: object[] }>();
  expect(plugins).toMatchObject([
    {
      name: "session-memory",
      enabled: true,
      hooks: [
        { event: "command:new", priority: 0 },
        { event: "command:reset", priority: 0 },
      ],
      tools: [],
    },
    { name: "command-logger", enabled: true, hooks: [{ event: "command", priority: 0 }] },
  ]);
});

describe("OpenAPI", () => {
  test("the OpenAPI document is version 3.1 and has every route", async () => {
    const document = await (await call("GET", "/openapi.json")).json<{
      openapi: string;
      paths: Record<string, object>;
    }>();
    expect(document.openapi).toBe("3.1.0");
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining([
        "/v1/agent",
        "/v1/agent/wait",
        "/v1/agents",
        "/v1/agents/{id}",
        "/v1/runs/{id}",
        "/v1/runs/{id}/events",
        "/v1/runs/{id}/abort",
        "/v1/sessions",
        "/v1/sessions/{key}/history",
        "/v1/audit",
        "/v1/config",
        "/v1/config/history",
        "/v1/config/history/{revision}",
        "/v1/config/rollback",
        "/v1/plugins",
        "/v1/config/import",
        "/v1/doctor",
        "/v1/agents/{id}/prompt",
        "/v1/runs/{id}/prompt",
        "/v1/sessions/{key}/context",
        "/v1/agents/{id}/bootstrap",
        "/v1/agents/{id}/bootstrap/accept",
        "/v1/agents/{id}/skills",
        "/v1/agents/{id}/skills/{name}",
        "/v1/agents/{id}/skills/{name}/update",
        "/v1/agents/{id}/skills/{name}/verify",
        "/v1/agents/{id}/skills/{name}/accept",
        "/v1/agents/{id}/memory/search",
        "/v1/agents/{id}/memory/file",
        "/v1/agents/{id}/memory/index",
        "/v1/agents/{id}/memory/status",
        "/v1/agents/{id}/workspace",
        "/v1/agents/{id}/workspace/{path}",
        "/v1/models",
        "/v1/models/{model}",
        "/v1/chat/completions",
        "/v1/responses",
        "/v1/responses/{id}",
        "/v1/responses/{id}/cancel",
        "/healthz",
        "/docs",
        "/docs/{name}",
      ]),
    );
  });

  test("the OpenAPI document describes the body and the required headers of a configuration change", async () => {
    const { paths } = await (await call("GET", "/openapi.json")).json<{ paths: Record<string, any> }>();
    for (const [method, type] of [
      ["put", "application/json"],
      ["patch", "application/merge-patch+json"],
    ]) {
      const route = paths["/v1/config"][method!];
      expect(Object.keys(route.requestBody.content)).toEqual([type]);
      expect(route.parameters.map(({ name }: { name: string }) => name)).toEqual(
        expect.arrayContaining(["if-match", "dryRun", "note"]),
      );
    }
  });

  test("every route below /v1 documents its error response in the shape of its protocol", async () => {
    const { paths, components } = await (await call("GET", "/openapi.json")).json<any>();
    expect(Object.keys(components.schemas.Error.properties.error.properties)).toEqual(
      expect.arrayContaining(["code", "message", "hint", "faults", "currentRevision", "oldestCursor"]),
    );
    const refusalOf = (path: string, method: string) =>
      paths[path][method].responses.default?.content["application/json"].schema.$ref;
    expect(refusalOf("/v1/config", "patch")).toBe("#/components/schemas/Error");
    expect(refusalOf("/v1/sessions/{key}", "delete")).toBe("#/components/schemas/Error");
    expect(refusalOf("/v1/chat/completions", "post")).not.toBe("#/components/schemas/Error");
    const refused = await call("PATCH", "/v1/config", { nonsense: 1 }, { "If-Match": "*" });
    const { error } = await refused.json<any>();
    expect(Object.keys(components.schemas.Error.properties.error.properties)).toEqual(
      expect.arrayContaining(Object.keys(error)),
    );
  });

  test("answers match the schemas of the OpenAPI document", async () => {
    await script("openapi", [{ text: "ok" }]);
    const accepted = await say("x", "openapi", { sessionKey: "agent:main:hook:openapi" });
    expect(Object.keys(accepted).sort()).toEqual(["acceptedAt", "runId", "sessionId", "sessionKey"]);
    const fields =
      "acceptedAt agentId deliveries endedAt model operations prompt reply runId sessionId sessionKey startedAt status usage";
    expect(Object.keys(await finished(accepted.runId)).sort()).toEqual(fields.split(" "));
  });
});
