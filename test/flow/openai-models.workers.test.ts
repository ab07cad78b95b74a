import OpenAI from "openai";
import { expect, test } from "vitest";
import { call } from "./client.ts";
import { openai } from "./openai-client.ts";

test("the agents are listed as models, and the default one also by the product's name alone", async () => {
  const ids: string[] = [];
  for await (const model of openai().models.list()) ids.push(model.id);
  expect(ids.slice(0, 3)).toEqual(["isopod", "isopod/main", "isopod/other"]);
  expect(new Set(ids).size).toBe(ids.length);
});

test("a model is shown under its id, whether the slash in it is escaped or not", async () => {
  expect(await openai().models.retrieve("isopod/other")).toMatchObject({ id: "isopod/other", object: "model" });
  expect(await (await call("GET", "/v1/models/isopod/other")).json()).toMatchObject({ id: "isopod/other" });
  expect(await openai().models.retrieve("openclaw:main")).toMatchObject({ id: "openclaw:main" });
});

test("a model that is no agent is not found, and the error says so in OpenAI's shape", async () => {
  for (const id of ["isopod/nobody", "gpt-4o", "isopod/", "openclaw:"]) {
    const refused = await openai()
      .models.retrieve(id)
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(OpenAI.NotFoundError);
    expect(refused).toMatchObject({ type: "invalid_request_error", code: "model_not_found", param: "model" });
  }
});

test("a wrong key is an authentication error, and a wrong method an error in the same shape", async () => {
  const refused = await openai({ apiKey: "guess" })
    .models.list()
    .catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(OpenAI.AuthenticationError);
  expect(refused).toMatchObject({ code: "invalid_api_key", type: "invalid_request_error", param: null });
  const wrong = await call("DELETE", "/v1/models");
  expect([wrong.status, wrong.headers.get("Allow")]).toEqual([405, "GET, HEAD"]);
  expect(await wrong.json()).toMatchObject({ error: { code: "method_not_allowed", param: null } });
});
