import { env, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { newRunId } from "../../src/config/session-ids.ts";
import { openStore, type Store, updateTables } from "../../src/session-store/store.ts";
import { acknowledged, ended, stopping, withTask } from "../../src/session-store/subagent.ts";
import { findSubagentRow, saveSubagent } from "../../src/session-store/subagent-rows.ts";
import { type Instructor, instructSubagent } from "../../src/subagents/spawn.ts";
import type { SubagentsDeps } from "../../src/subagents/subagents-deps.ts";

const KEY = "agent:main:subagent:x";
const TELLING = { target: null, owner: true, modelOverride: {}, timeoutSeconds: 600 };
const CHILD = {
  ...{ agentId: "main", childRunId: newRunId("o".repeat(26), 0), label: "barrels", askedBy: "first", startedAt: 0 },
  ...{ modelOverride: { model: "fake/x" }, timeoutSeconds: 60, announceTo: TELLING },
};
const STARTING = withTask(CHILD, { text: "Count.", timeoutSeconds: 60 }, 0);
const WORKING = acknowledged(STARTING, 0);

/** Works with the tables of an object of its own, in which one sub-agent is stored. */
function withChild(name: string, child: typeof STARTING, work: (deps: SubagentsDeps) => void): Promise<void> {
  return runInDurableObject(env.SESSIONS.getByName(name), (_, ctx) => {
    const store: Store = openStore(ctx);
    updateTables(ctx, store);
    saveSubagent(store, { key: KEY, runId: "run_parent", subagent: child });
    const session = () => ({ key: "agent:main:main", settings: {} });
    work({ store, now: () => 5, session } as unknown as SubagentsDeps);
  });
}

function instructor(askedBy: string, maxChildren = 5): Instructor {
  return { runId: "run_other", askedBy, announceTo: { ...TELLING, owner: false }, maxChildren };
}

test("an instruction runs on the sub-agent's own model with the rights of its sender, and its result goes to the parent", () =>
  withChild("give", WORKING, (deps) => {
    const { runId, subagent: child } = instructSubagent("barrels", "More.", instructor("second"), deps);
    expect(runId).toBe("run_parent");
    expect(child).toMatchObject({ task: "More.", askedBy: "second", announceTo: { owner: false } });
    expect(child.phase).toMatchObject({
      status: "starting",
      input: {
        ...{ text: "More.", model: "fake/x", timeoutSeconds: 60, sender: { owner: false } },
        origin: { kind: "spawn", spawned: { lineage: ["agent:main:main"], label: "barrels" } },
      },
    });
  }));

test("a repeated instruction is one message, also after it was stored", () =>
  withChild("give-again", WORKING, (deps) => {
    const first = instructSubagent("1", "More.", instructor("second"), deps);
    saveSubagent(deps.store, { ...first, subagent: acknowledged(first.subagent, 6) });
    instructSubagent("1", "More.", instructor("second"), deps);
    expect(findSubagentRow(deps.store, KEY)?.subagent).toMatchObject({
      ...{ childRunId: first.subagent.childRunId, phase: { status: "working" } },
    });
  }));

test("one that has ended works again for who gives it more, where there is room", () =>
  withChild("give-ended", ended(WORKING, "ok", 1), (deps) => {
    expect(() => instructSubagent("1", "More.", instructor("second", 0), deps)).toThrow("maxChildren is 0");
    expect(instructSubagent("1", "More.", instructor("second"), deps).runId).toBe("run_other");
  }));

test("a sub-agent that has not begun, or is being stopped, takes no instruction", async () => {
  await withChild("give-early", STARTING, (deps) => {
    expect(() => instructSubagent("1", "More.", instructor("second"), deps)).toThrow("It has not begun yet.");
  });
  await withChild("give-late", stopping(WORKING, 1), (deps) => {
    expect(() => instructSubagent("1", "More.", instructor("second"), deps)).toThrow("It is being stopped.");
  });
});
