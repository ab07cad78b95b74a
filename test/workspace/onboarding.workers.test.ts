import { describe, expect, test } from "vitest";
import { noteEnd, type OnboardingMemory, settleOnboarding, stageOf } from "../../src/workspace/onboarding.ts";
import { seedWorkspace } from "../../src/workspace/seed.ts";
import { STATE_PATH } from "../../src/workspace/state.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";
import { watchWorkspace } from "./open-workspace.ts";

const NOW = Date.parse("2026-11-21T08:00:00Z");
const SEEDED = { version: 1, bootstrapSeededAt: "2026-11-21T08:00:00.000Z" };
const DONE = { ...SEEDED, onboardingCompletedAt: "2026-11-21T08:01:00.000Z" };

async function textOf(workspace: Workspace, path: string): Promise<string> {
  return new TextDecoder().decode((await workspace.read(path)).bytes);
}

async function stateOf(workspace: Workspace): Promise<unknown> {
  return JSON.parse(await textOf(workspace, STATE_PATH));
}

async function newWorkspace() {
  const watched = watchWorkspace();
  const listing = await seedWorkspace(watched.workspace, [], NOW);
  watched.calls.length = 0;
  return { ...watched, listing };
}

/** What a turn does in which the prompt shows these files. */
async function turn(workspace: Workspace, memory: OnboardingMemory, shown: string[], now = NOW + 60_000) {
  const listing = await workspace.list("");
  const stage = await stageOf(workspace, listing, memory);
  const paths = shown.map((path) => ({ path }));
  if (stage === "here") noteEnd(paths, listing, memory);
  await settleOnboarding(workspace, memory, now);
  return stage;
}

describe("a first conversation that goes on", () => {
  test("costs one read of the state for each version of BOOTSTRAP.md", async () => {
    const { workspace, calls } = await newWorkspace();
    const memory: OnboardingMemory = {};
    expect(await turn(workspace, memory, ["BOOTSTRAP.md"])).toBe("here");
    expect(calls.map((call) => call.split(" ")[0])).toEqual(["list", "get"]);
    calls.length = 0;
    expect(await turn(workspace, memory, ["BOOTSTRAP.md"])).toBe("here");
    expect(calls).toEqual(["list"]);
    expect(await stateOf(workspace)).toEqual(SEEDED);
  });

  test("goes on where the state was deleted or cannot be read", async () => {
    for (const text of [undefined, "not JSON", "[1"]) {
      const { workspace } = await newWorkspace();
      if (text === undefined) await workspace.remove(STATE_PATH, { kind: "any" });
      else await workspace.write(STATE_PATH, text, { kind: "any" });
      expect(await turn(workspace, {}, ["BOOTSTRAP.md"])).toBe("here");
      await turn(workspace, {}, []);
      if (text !== undefined) expect(await textOf(workspace, STATE_PATH)).toBe(text);
    }
  });
});

describe("the end of the first conversation", () => {
  test.each([
    ["gone", (workspace: Workspace) => workspace.remove("BOOTSTRAP.md", { kind: "any" })],
    ["empty", (workspace: Workspace) => workspace.write("BOOTSTRAP.md", "", { kind: "any" })],
    ["blank", (workspace: Workspace) => workspace.write("BOOTSTRAP.md", " \n", { kind: "any" })],
  ])("is recorded once BOOTSTRAP.md is %s, and the file goes", async (_, finish) => {
    const { workspace, calls } = await newWorkspace();
    await finish(workspace);
    const memory: OnboardingMemory = {};
    await turn(workspace, memory, ["SOUL.md"]);
    expect(await stateOf(workspace)).toEqual(DONE);
    expect((await workspace.list("")).map(({ path }) => path)).not.toContain("BOOTSTRAP.md");
    calls.length = 0;
    await turn(workspace, memory, ["SOUL.md"], NOW + 999_000);
    expect(calls).toEqual(["list"]);
    await turn(workspace, {}, ["SOUL.md"], NOW + 999_000);
    expect(await stateOf(workspace)).toEqual(DONE);
  });

  test("is final: a BOOTSTRAP.md that comes later counts for nothing, also one of the same words", async () => {
    const { workspace } = await newWorkspace();
    const memory: OnboardingMemory = {};
    const { bytes } = await workspace.read("BOOTSTRAP.md");
    await turn(workspace, memory, ["BOOTSTRAP.md"]);
    await workspace.remove("BOOTSTRAP.md", { kind: "any" });
    await turn(workspace, memory, []);
    await new Promise((resolve) => setTimeout(resolve, 2));
    await workspace.write("bootstrap.md", bytes, { kind: "new" });
    expect(await turn(workspace, memory, [])).toBe("over");
    expect(await turn(workspace, {}, [])).toBe("over");
    expect((await workspace.list("")).map(({ path }) => path)).toContain("bootstrap.md");
  });

  test("is known of a workspace of OpenClaw, whatever its version calls it", async () => {
    for (const field of ["onboardingCompletedAt", "setupCompletedAt"]) {
      const { workspace } = watchWorkspace();
      await workspace.write(STATE_PATH, JSON.stringify({ version: 1, [field]: "2026-01-01" }), { kind: "new" });
      await workspace.write("BOOTSTRAP.md", "Hi", { kind: "new" });
      expect(await turn(workspace, {}, [])).toBe("over");
    }
  });

  test("leaves a BOOTSTRAP.md alone that somebody fills again in the meantime", async () => {
    const { workspace } = await newWorkspace();
    const emptied = await workspace.write("BOOTSTRAP.md", "", { kind: "any" });
    await workspace.write("BOOTSTRAP.md", "Begin anew.", { kind: "any" });
    await settleOnboarding(workspace, { over: { leftover: emptied } }, NOW);
    expect(await textOf(workspace, "BOOTSTRAP.md")).toBe("Begin anew.");
  });
});
