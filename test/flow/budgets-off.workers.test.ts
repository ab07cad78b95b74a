import { env, listDurableObjectIds } from "cloudflare:test";
import { expect, test, vi } from "vitest";
import { Budget } from "../../src/session/budget.ts";
import { call, finished, say, script } from "./client.ts";
import { session } from "./session-lab.ts";

test("without caps no budget object is created or asked, and the budget report is empty", async () => {
  // Ids of deleted objects of earlier files stay in the list.
  const before = await listDurableObjectIds(env.BUDGETS);
  const methods = (["claim", "settle", "giveBack", "uses"] as const).map((name) => vi.spyOn(Budget.prototype, name));
  await script("uncapped", [{ calls: [{ name: "ls", args: {} }] }, { text: "Done." }]);
  expect(await finished((await say("x", "uncapped", session("uncapped"))).runId)).toMatchObject({ status: "ok" });
  expect(await (await call("GET", "/v1/budgets")).json()).toEqual({ budgets: [] });
  for (const method of methods) {
    expect(method).not.toHaveBeenCalled();
    method.mockRestore();
  }
  expect(await listDurableObjectIds(env.BUDGETS)).toHaveLength(before.length);
});
