import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { loadBootstrap } from "../../src/workspace/bootstrap.ts";
import { seedOnFirstUse, seedWorkspace } from "../../src/workspace/seed.ts";
import { readState, recordOnboarding, STATE_PATH } from "../../src/workspace/state.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";
import { watchWorkspace } from "./open-workspace.ts";

const NOW = Date.parse("2026-11-21T08:00:00Z");
const FURNITURE = ["AGENTS.md", "BOOTSTRAP.md", "HEARTBEAT.md", "IDENTITY.md", "SOUL.md", "TOOLS.md", "USER.md"];

async function textOf(workspace: Workspace, path: string): Promise<string> {
  return new TextDecoder().decode((await workspace.read(path)).bytes);
}

async function stateOf(workspace: Workspace): Promise<unknown> {
  return JSON.parse(await textOf(workspace, STATE_PATH));
}

describe("seeding a new workspace", () => {
  test("creates the templates without their front matter, and the state", async () => {
    const { workspace } = watchWorkspace();
    await seedWorkspace(workspace, await workspace.list(""), NOW);
    expect((await workspace.walk("")).map((file) => file.path)).toEqual([STATE_PATH, ...FURNITURE]);
    for (const path of FURNITURE) expect(await textOf(workspace, path)).toMatch(new RegExp(`^# ${path}`));
    expect(await stateOf(workspace)).toEqual({ version: 1, bootstrapSeededAt: "2026-11-21T08:00:00.000Z" });
  });

  test("returns the new listing without asking the store again", async () => {
    const { workspace, calls } = watchWorkspace();
    const listing = await seedWorkspace(workspace, [], NOW);
    expect(calls.every((call) => call.startsWith("put"))).toBe(true);
    expect(listing).toEqual(await workspace.list(""));
  });

  test("happens if there is no trace of an agent, also after an upload or a skill install", async () => {
    const { workspace } = watchWorkspace();
    await workspace.write("skills/weather/SKILL.md", "x", { kind: "new" });
    const listing = await seedWorkspace(workspace, await workspace.list(""), NOW);
    expect(listing.map((entry) => entry.path)).toContain("BOOTSTRAP.md");
  });

  test("creates files that fit into a prompt whole", async () => {
    const { workspace } = watchWorkspace();
    const listing = await seedWorkspace(workspace, [], NOW);
    const cache = new Map();
    const occasion = { mode: "full", heartbeat: true, personal: true, firstConversation: "here" } as const;
    const { shown: files } = await loadBootstrap({ workspace, listing, cache, ...occasion });
    expect(files.map((file) => file.path)).toEqual(expect.arrayContaining(FURNITURE));
    expect(files.some((file) => file.truncated || file.missing)).toBe(false);
    expect(files.reduce((sum, file) => sum + file.injectedChars, 0)).toBeLessThan(10_000);
  });

  test("creates a HEARTBEAT.md without tasks", async () => {
    const { workspace } = watchWorkspace();
    await seedWorkspace(workspace, [], NOW);
    const lines = (await textOf(workspace, "HEARTBEAT.md")).split("\n");
    expect(lines.filter((line) => line.trim() !== "" && !line.startsWith("#"))).toEqual([]);
  });
});

describe("seeding a workspace again", () => {
  test("costs nothing and changes nothing", async () => {
    const { workspace, calls } = watchWorkspace();
    await seedWorkspace(workspace, [], NOW);
    await workspace.write("SOUL.md", "mine now", { kind: "any" });
    await workspace.remove("USER.md", { kind: "any" });
    const listing = await workspace.list("");
    calls.length = 0;
    expect(await seedWorkspace(workspace, listing, NOW)).toBe(listing);
    expect(calls).toEqual([]);
  });

  test("concurrently gives one set of files, and both callers the same listing", async () => {
    const { workspace } = watchWorkspace();
    const [a, b] = await Promise.all([seedWorkspace(workspace, [], NOW), seedWorkspace(workspace, [], NOW + 1)]);
    expect(a).toEqual(b);
    expect(a).toEqual(await workspace.list(""));
    for (const path of FURNITURE) expect(await workspace.versions(path)).toEqual([]);
  });

  test.each([0, 1, 2, 3, 4, 5, 6, 7])(
    "goes on where a crash left off after %i files, with BOOTSTRAP.md",
    async (done) => {
      let writes = 0;
      const { workspace } = watchWorkspace({
        before: (call) => call.startsWith("put") && ++writes > done && new Error("put: Access denied (10003)"),
      });
      await expect(seedWorkspace(workspace, [], NOW)).rejects.toMatchObject({ code: "unavailable" });
      writes = Number.NEGATIVE_INFINITY;
      const listing = await seedWorkspace(workspace, await workspace.list(""), NOW);
      expect(listing.map((entry) => entry.path)).toEqual([".openclaw", ...FURNITURE]);
      expect(await stateOf(workspace)).toHaveProperty("bootstrapSeededAt");
    },
  );

  test("happens if the state folder has other files only, and not if everything was cleared", async () => {
    const { workspace } = watchWorkspace();
    await workspace.write(".openclaw/something.json", "{}", { kind: "new" });
    const listing = await seedWorkspace(workspace, await workspace.list(""), NOW);
    expect(listing.map((entry) => entry.path)).toEqual([".openclaw", ...FURNITURE]);
    expect(listing).toEqual(await workspace.list(""));
    for (const path of FURNITURE) await workspace.remove(path, { kind: "any" });
    await seedWorkspace(workspace, await workspace.list(""), NOW);
    expect(await workspace.list("")).toEqual([{ kind: "folder", path: ".openclaw" }]);
  });
});

describe("seeding an imported workspace", () => {
  test("with AGENTS.md creates the state alone, without onboarding", async () => {
    const { workspace, prefix } = watchWorkspace();
    for (const path of ["AGENTS.md", "SOUL.md", "memory/2026-01-31.md"])
      await env.FILES.put(prefix + path, "from there");
    const listing = await seedWorkspace(workspace, await workspace.list(""), NOW);
    expect(listing.map((entry) => entry.path)).toEqual([".openclaw", "AGENTS.md", "SOUL.md", "memory"]);
    expect(listing).toEqual(await workspace.list(""));
    expect(await textOf(workspace, "AGENTS.md")).toBe("from there");
    expect(await stateOf(workspace)).toEqual({ version: 1, onboardingCompletedAt: "2026-11-21T08:00:00.000Z" });
  });

  test("with BOOTSTRAP.md continues its onboarding", async () => {
    const { workspace, prefix } = watchWorkspace();
    for (const path of ["AGENTS.md", "BOOTSTRAP.md"]) await env.FILES.put(prefix + path, "from there");
    await seedWorkspace(workspace, await workspace.list(""), NOW);
    expect(await stateOf(workspace)).toEqual({ version: 1, bootstrapSeededAt: "2026-11-21T08:00:00.000Z" });
    expect(await textOf(workspace, "BOOTSTRAP.md")).toBe("from there");
  });

  test("without AGENTS.md adds missing files and keeps existing ones, in any case of their names", async () => {
    const { workspace, prefix } = watchWorkspace();
    await env.FILES.put(`${prefix}soul.md`, "pirate");
    await env.FILES.put(`${prefix}MEMORY.md`, "likes rum");
    const listing = await seedWorkspace(workspace, await workspace.list(""), NOW);
    const paths = listing.map((entry) => entry.path);
    expect(paths).toContain("AGENTS.md");
    expect(paths).not.toContain("BOOTSTRAP.md");
    expect(paths).not.toContain("SOUL.md");
    expect(await textOf(workspace, "soul.md")).toBe("pirate");
    expect(await stateOf(workspace)).toEqual({ version: 1, onboardingCompletedAt: "2026-11-21T08:00:00.000Z" });
  });

  test("with a state changes nothing", async () => {
    const { workspace, prefix, calls } = watchWorkspace();
    const state = JSON.stringify({ version: 1, setupCompletedAt: "2026-01-31T00:00:00Z", ours: { keep: true } });
    await env.FILES.put(`${prefix}AGENTS.md`, "from there");
    await env.FILES.put(prefix + STATE_PATH, state);
    const listing = await workspace.list("");
    expect(await seedWorkspace(workspace, listing, NOW)).toBe(listing);
    await recordOnboarding(workspace, NOW);
    expect(await textOf(workspace, STATE_PATH)).toBe(state);
    expect(calls.some((call) => call.startsWith("put"))).toBe(false);
  });
});

describe("recording the end of onboarding", () => {
  test("keeps OpenClaw's other fields of the state", async () => {
    const { workspace } = watchWorkspace();
    const state = { version: 1, bootstrapSeededAt: "2026-01-31T00:00:00Z", lastSeen: { agent: "ada" } };
    await workspace.write(STATE_PATH, JSON.stringify(state), { kind: "new" });
    await recordOnboarding(workspace, NOW);
    expect(await stateOf(workspace)).toEqual({ ...state, onboardingCompletedAt: "2026-11-21T08:00:00.000Z" });
  });

  test("leaves a damaged or newer state alone", async () => {
    const later = JSON.stringify({ version: 2, bootstrapSeededAt: "2026-01-31T00:00:00Z" });
    for (const text of ["not JSON", "", "null", "[]", '{"version":"1"}', '{"version":1,"setupCompletedAt":7}', later]) {
      const { workspace } = watchWorkspace();
      await workspace.write(STATE_PATH, text, { kind: "new" });
      const listing = await workspace.list("");
      expect(
        await seedWorkspace(workspace, [...listing, await workspace.write("AGENTS.md", "x", { kind: "new" })], NOW),
      ).toHaveLength(2);
      await recordOnboarding(workspace, NOW);
      expect(await textOf(workspace, STATE_PATH)).toBe(text);
      expect((await readState(workspace)).kind).toBe(text === later ? "known" : "damaged");
    }
  });
});

const ANY = { kind: "any" } as const;

describe("a workspace before its first use", () => {
  test("is seeded by the first listing, read or write", async () => {
    const visits = [
      async () => seedOnFirstUse(watched.workspace, NOW).list(""),
      async () => seedOnFirstUse(watched.workspace, NOW).read("AGENTS.md"),
      async () => seedOnFirstUse(watched.workspace, NOW).stat("AGENTS.md"),
      async () => seedOnFirstUse(watched.workspace, NOW).write("SOUL.md", "mine", ANY),
      async () => seedOnFirstUse(watched.workspace, NOW).remove("USER.md", ANY),
    ];
    let watched = watchWorkspace();
    for (const visit of visits) {
      watched = watchWorkspace();
      await visit();
      expect((await watched.workspace.walk("")).map(({ path }) => path)).toEqual(
        expect.arrayContaining([STATE_PATH, "AGENTS.md", "BOOTSTRAP.md", "SOUL.md"]),
      );
    }
  });

  test("is listed once per request, and not at all for an existing file", async () => {
    const { workspace, calls } = watchWorkspace();
    await seedOnFirstUse(workspace, NOW).list("");
    calls.length = 0;
    const visit = seedOnFirstUse(workspace, NOW);
    await visit.read("SOUL.md");
    expect(calls.map((call) => call.split(" ")[0])).toEqual(["get"]);
    await expect(visit.read("nothing.md")).rejects.toMatchObject({ code: "not_found" });
    await expect(visit.stat("nothing.md")).rejects.toMatchObject({ code: "not_found" });
    expect(calls.filter((call) => call === "list")).toHaveLength(1);
  });
});
