import { describe, expect, test } from "vitest";
import {
  noteOnboardingEnd,
  type OnboardingCache,
  onboardingStage,
  settleOnboarding,
} from "../../src/workspace/onboarding.ts";
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
async function turn(workspace: Workspace, memory: OnboardingCache, shown: string[], now = NOW + 60_000) {
  const listing = await workspace.list("");
  const stage = await onboardingStage(workspace, listing, memory);
  const paths = shown.map((path) => ({ path }));
  if (stage === "here") noteOnboardingEnd(paths, listing, memory);
  await settleOnboarding(workspace, memory, now);
  return stage;
}

describe("ongoing onboarding", () => {
  test("costs one read of the state per version of BOOTSTRAP.md", async () => {
    const { workspace, calls } = await newWorkspace();
    const memory: OnboardingCache = {};
    expect(await turn(workspace, memory, ["BOOTSTRAP.md"])).toBe("here");
    expect(calls.map((call) => call.split(" ")[0])).toEqual(["list", "get"]);
    calls.length = 0;
    expect(await turn(workspace, memory, ["BOOTSTRAP.md"])).toBe("here");
    expect(calls).toEqual(["list"]);
    expect(await stateOf(workspace)).toEqual(SEEDED);
  });

  test("continues if the state was deleted or is damaged", async () => {
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

describe("the end of onboarding", () => {
  test.each([
    ["gone", (workspace: Workspace) => workspace.remove("BOOTSTRAP.md", { kind: "any" })],
    ["empty", (workspace: Workspace) => workspace.write("BOOTSTRAP.md", "", { kind: "any" })],
    ["blank", (workspace: Workspace) => workspace.write("BOOTSTRAP.md", " \n", { kind: "any" })],
  ])("is recorded once BOOTSTRAP.md is %s, and the file goes", async (_, finish) => {
    const { workspace, calls } = await newWorkspace();
    await finish(workspace);
    const memory: OnboardingCache = {};
    await turn(workspace, memory, ["SOUL.md"]);
    expect(await stateOf(workspace)).toEqual(DONE);
    expect((await workspace.list("")).map(({ path }) => path)).not.toContain("BOOTSTRAP.md");
    calls.length = 0;
    await turn(workspace, memory, ["SOUL.md"], NOW + 999_000);
    expect(calls).toEqual(["list"]);
    await turn(workspace, {}, ["SOUL.md"], NOW + 999_000);
    expect(await stateOf(workspace)).toEqual(DONE);
  });

  test("is final: a later BOOTSTRAP.md is ignored, even an identical one", async () => {
    const { workspace } = await newWorkspace();
    const memory: OnboardingCache = {};
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

  test("is read from OpenClaw's workspaces of any version", async () => {
    for (const field of ["onboardingCompletedAt", "setupCompletedAt"]) {
      const { workspace } = watchWorkspace();
      await workspace.write(STATE_PATH, JSON.stringify({ version: 1, [field]: "2026-01-01" }), { kind: "new" });
      await workspace.write("BOOTSTRAP.md", "Hi", { kind: "new" });
      expect(await turn(workspace, {}, [])).toBe("over");
    }
  });

  test("keeps a BOOTSTRAP.md that is refilled concurrently", async () => {
    const { workspace } = await newWorkspace();
    const emptied = await workspace.write("BOOTSTRAP.md", "", { kind: "any" });
    await workspace.write("BOOTSTRAP.md", "Begin anew.", { kind: "any" });
    await settleOnboarding(workspace, { over: { leftover: emptied } }, NOW);
    expect(await textOf(workspace, "BOOTSTRAP.md")).toBe("Begin anew.");
  });
});
