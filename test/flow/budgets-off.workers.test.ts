import { env, listDurableObjectIds } from "cloudflare:test";
import { expect, test } from "vitest";
import { call, finished, say, script } from "./client.ts";
import { session } from "./session-lab.ts";

test("where nothing is capped no budget is ever asked, and there is none to be looked at", async () => {
  await script("uncapped", [{ calls: [{ name: "ls", args: {} }] }, { text: "Done." }]);
  expect(await finished((await say("x", "uncapped", session("uncapped"))).runId)).toMatchObject({ status: "ok" });
  expect(await (await call("GET", "/v1/budgets")).json()).toEqual({ budgets: [] });
  expect(await listDurableObjectIds(env.BUDGETS)).toEqual([]);
  expect(await listDurableObjectIds(env.SESSIONS)).toHaveLength(1);
});
