import { env, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { newRunId } from "../../src/config/session-ids.ts";
import { openStore, type Store, updateTables } from "../../src/session-store/store.ts";
import { accepted, given, over, stopping } from "../../src/session-store/subagent.ts";
import { findChild, saveChild } from "../../src/session-store/subagent-rows.ts";
import { type Giver, giveMore } from "../../src/subagents/instruct.ts";
import type { FamilyRoom } from "../../src/subagents/subagents-deps.ts";

const KEY = "agent:main:subagent:x";
const TELLING = { target: null, owner: true, voice: {}, timeoutSeconds: 600 };
const CHILD = {
  ...{ agentId: "main", childRunId: newRunId("o".repeat(26), 0), label: "barrels", askedBy: "first", startedAt: 0 },
  ...{ voice: { model: "fake/x" }, timeoutSeconds: 60, telling: TELLING },
};
const STARTING = given(CHILD, { text: "Count.", timeoutSeconds: 60 }, 0);
const WORKING = accepted(STARTING, 0);

/** Works with the tables of an object of its own, in which one sub-agent is stored. */
function withChild(name: string, child: typeof STARTING, work: (room: FamilyRoom) => void): Promise<void> {
  return runInDurableObject(env.SESSIONS.getByName(name), (_, ctx) => {
    const store: Store = openStore(ctx);
    updateTables(ctx, store);
    saveChild(store, { key: KEY, runId: "run_parent", child });
    const owner = () => ({ key: "agent:main:main", settings: {} });
    work({ store, now: () => 5, owner } as unknown as FamilyRoom);
  });
}

function giver(askedBy: string, maxChildren = 5): Giver {
  return { runId: "run_other", askedBy, telling: { ...TELLING, owner: false }, maxChildren };
}

test("what is given goes to the sub-agent's own model, with the rights of who gives it, and to who started it", () =>
  withChild("give", WORKING, (room) => {
    const { runId, child } = giveMore("barrels", "More.", giver("second"), room);
    expect(runId).toBe("run_parent");
    expect(child).toMatchObject({ task: "More.", askedBy: "second", telling: { owner: false } });
    expect(child.phase).toMatchObject({
      status: "starting",
      input: {
        ...{ text: "More.", model: "fake/x", timeoutSeconds: 60, sender: { owner: false } },
        origin: { kind: "spawn", spawned: { lineage: ["agent:main:main"], label: "barrels" } },
      },
    });
  }));

test("the same again is the same message, also once it was heard", () =>
  withChild("give-again", WORKING, (room) => {
    const first = giveMore("1", "More.", giver("second"), room);
    saveChild(room.store, { ...first, child: accepted(first.child, 6) });
    giveMore("1", "More.", giver("second"), room);
    expect(findChild(room.store, KEY)?.child).toMatchObject({
      ...{ childRunId: first.child.childRunId, phase: { status: "working" } },
    });
  }));

test("one that has ended works again for who gives it more, where there is room", () =>
  withChild("give-ended", over(WORKING, "ok", 1), (room) => {
    expect(() => giveMore("1", "More.", giver("second", 0), room)).toThrow("maxChildren is 0");
    expect(giveMore("1", "More.", giver("second"), room).runId).toBe("run_other");
  }));

test("one that has not begun, or is being stopped, is given nothing", async () => {
  await withChild("give-early", STARTING, (room) => {
    expect(() => giveMore("1", "More.", giver("second"), room)).toThrow("It has not begun yet.");
  });
  await withChild("give-late", stopping(WORKING, 1), (room) => {
    expect(() => giveMore("1", "More.", giver("second"), room)).toThrow("It is being stopped.");
  });
});
