import { SELF } from "cloudflare:test";
import { expect, test } from "vitest";
import { call } from "./client.ts";

async function look(path: string) {
  const response = await call("GET", `/v1/config/schema?path=${encodeURIComponent(path)}`);
  return { status: response.status, body: await response.json<any>() };
}

test("GET /v1/config/schema without a path returns the JSON Schema of the whole configuration", async () => {
  const schema = await (await call("GET", "/v1/config/schema")).json<any>();
  expect(schema.$schema).toBe("https://json-schema.org/draft/2020-12/schema");
  expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(["agents", "channels", "models", "hooks"]));
  expect(schema.properties.agents.properties.list.items.properties.id.description).toBe("The agent's id.");
});

test("GET /v1/config/schema with a path returns one field", async () => {
  expect(await look("channels.telegram.accounts.main.dmPolicy")).toMatchObject({
    status: 200,
    body: { type: "string", default: "pairing", agentMayWrite: false },
  });
  expect(await look("agents.defaults.heartbeat.every")).toMatchObject({ body: { default: "30m" } });
});

test("an unknown path of the configuration's schema is answered with similar paths", async () => {
  const { status, body } = await look("agents.defaults.modle");
  expect(status).toBe(404);
  expect(body.error.hint).toContain("agents.defaults.model");
  expect((await look("__proto__")).status).toBe(404);
  expect((await call("GET", "/v1/config/schema?paht=x")).status).toBe(400);
});

test("the configuration's schema is not readable without the token", async () => {
  expect((await SELF.fetch("https://isopod.test/v1/config/schema")).status).toBe(401);
});
