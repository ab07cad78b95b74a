import { expect, test } from "vitest";
import type { Agent } from "../../src/config/agents.ts";
import { ListingCache } from "../../src/services/listing-cache.ts";
import { listWorkspaceRoot, listWorkspaceRootAhead, type Services } from "../../src/services/services.ts";

/** An agent's workspace whose listings are counted, at a time that can be set. */
function counted() {
  const state = { now: 1_000_000, lists: 0, isDown: false };
  const list = async () => {
    state.lists++;
    if (state.isDown) throw new Error("R2 is down");
    return [];
  };
  const workspaces = new ListingCache(() => state.now);
  const services = { listings: { workspaces }, workspaceOf: () => ({ list }) } as unknown as Services;
  const agent = { id: "main", workspace: undefined } as Agent;
  const turn = async (afterMs: number) => {
    state.now += afterMs;
    const before = state.lists;
    await listWorkspaceRoot(services, agent);
    const waitedFor = state.lists - before;
    await listWorkspaceRootAhead(services, agent, state.now);
    return { waitedFor, beside: state.lists - before - waitedFor };
  };
  return { state, turn };
}

test("turns within a minute of each other never wait for a listing, and none is made for quick ones", async () => {
  const { turn } = counted();
  expect(await turn(0)).toEqual({ waitedFor: 1, beside: 0 });
  expect(await turn(5_000)).toEqual({ waitedFor: 0, beside: 0 });
  for (let n = 0; n < 10; n++) expect(await turn(50_000)).toEqual({ waitedFor: 0, beside: 1 });
  expect(await turn(70_000)).toEqual({ waitedFor: 1, beside: 0 });
});

test("a listing ahead that fails leaves the one that serves", async () => {
  const { state, turn } = counted();
  await turn(0);
  state.isDown = true;
  expect(await turn(30_000)).toEqual({ waitedFor: 0, beside: 1 });
  expect(await turn(20_000)).toEqual({ waitedFor: 0, beside: 1 });
});
