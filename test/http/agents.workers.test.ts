import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { createApp } from "../../src/http/app.ts";
import { call } from "../flow/client.ts";

const headers = { Authorization: "Bearer test-token" };

test("GET /v1/agents lists the agents, the default one first, each with its R2 prefix", async () => {
  const { agents } = await (await call("GET", "/v1/agents")).json<{ agents: object[] }>();
  expect(agents).toEqual([
    { id: "main", default: true, model: "fake/default", workspace: "agents/main/workspace/", sharesWith: [] },
    { id: "other", default: false, model: "fake/other", workspace: "agents/other/workspace/", sharesWith: [] },
    { id: "third", default: false, model: "fake/default", workspace: "agents/third/workspace/", sharesWith: [] },
  ]);
  expect(await (await call("GET", "/v1/agents/other")).json()).toEqual(agents[1]);
  expect((await call("GET", "/v1/agents/nobody")).status).toBe(404);
  expect((await call("GET", "/v1/agents?limit=1")).status).toBe(400);
});

test("removing an agent from the configuration keeps its files", async () => {
  const path = "/v1/agents/other/workspace/notes.md";
  expect((await call("PUT", path, "kept")).status).toBe(201);
  const config = JSON.stringify({ ...JSON.parse(env.ISOPOD_CONFIG ?? "{}"), agents: { list: [{ id: "main" }] } });
  const without = { ...env, ISOPOD_CONFIG: config };
  expect((await createApp().request(path, { headers }, without)).status).toBe(404);
  const list = await createApp().request("/v1/agents", { headers }, without);
  expect((await list.json<{ agents: { id: string }[] }>()).agents.map(({ id }) => id)).toEqual(["main"]);
  expect(await (await call("GET", path)).text()).toBe("kept");
});

test("an invalid workspace path is refused with its field before anything runs", async () => {
  const agents = { list: [{ id: "main" }, { id: "ada", workspace: "agents/main/workspace" }] };
  const refused = { ...env, ISOPOD_CONFIG: JSON.stringify({ ...JSON.parse(env.ISOPOD_CONFIG ?? "{}"), agents }) };
  const response = await createApp().request("/v1/agents", { headers }, refused);
  expect(response.status).toBe(503);
  const { error } = await response.json<{ error: { message: string } }>();
  expect(error.message).toContain("agents.list[1].workspace");
  expect(error.message).toContain("'agents/main/workspace' is no folder for a workspace");
});
