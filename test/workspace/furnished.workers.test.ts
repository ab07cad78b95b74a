import { describe, expect, test } from "vitest";
import { furnished } from "../../src/workspace/furnished.ts";
import { STATE_PATH } from "../../src/workspace/state.ts";
import { watchWorkspace } from "./open-workspace.ts";

const NOW = Date.parse("2026-11-21T08:00:00Z");
const ANY = { kind: "any" } as const;

describe("a workspace that nobody has used yet", () => {
  test("is furnished for whoever looks at it, reads from it or writes to it first", async () => {
    const visits = [
      async () => furnished(watched.workspace, NOW).list(""),
      async () => furnished(watched.workspace, NOW).read("AGENTS.md"),
      async () => furnished(watched.workspace, NOW).stat("AGENTS.md"),
      async () => furnished(watched.workspace, NOW).write("SOUL.md", "mine", ANY),
      async () => furnished(watched.workspace, NOW).remove("USER.md", ANY),
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

  test("is looked at once a request, and not at all where the file is there", async () => {
    const { workspace, calls } = watchWorkspace();
    await furnished(workspace, NOW).list("");
    calls.length = 0;
    const visit = furnished(workspace, NOW);
    await visit.read("SOUL.md");
    expect(calls.map((call) => call.split(" ")[0])).toEqual(["get"]);
    await expect(visit.read("nothing.md")).rejects.toMatchObject({ code: "not_found" });
    await expect(visit.stat("nothing.md")).rejects.toMatchObject({ code: "not_found" });
    expect(calls.filter((call) => call === "list")).toHaveLength(1);
  });
});
