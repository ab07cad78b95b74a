import { expect, test } from "vitest";
import { dryWorkspace } from "../../src/workspace/dry.ts";
import { watchWorkspace } from "./open-workspace.ts";

const text = async (read: Promise<{ bytes: Uint8Array }>) => new TextDecoder().decode((await read).bytes);

test("changes of a dry workspace are visible through it alone", async () => {
  const { workspace } = watchWorkspace();
  await workspace.write("AGENTS.md", "as it is", { kind: "new" });
  const dry = dryWorkspace(workspace, 1000);
  await dry.write("AGENTS.md", "as it would be", { kind: "any" });
  const written = await dry.write("memory/today.md", "noted", { kind: "new" });
  expect(written).toMatchObject({ path: "memory/today.md", size: 5, modifiedAt: 1000 });
  expect((await dry.stat("memory/today.md")).etag).toBe(written.etag);
  expect(await text(dry.read("AGENTS.md"))).toBe("as it would be");
  expect(await text(dry.read("AGENTS.md", { offset: 3, length: 2 }))).toBe("it");
  expect(await text(dry.read("AGENTS.md", { suffix: 2 }))).toBe("be");
  expect((await dry.list("")).map(({ path }) => path)).toEqual(["AGENTS.md"]);
  expect((await dry.walk("")).map(({ path }) => path)).toEqual(["AGENTS.md", "memory/today.md"]);
  await expect(dry.write("memory/today.md", "again", { kind: "new" })).rejects.toMatchObject({ code: "conflict" });
  await dry.remove("AGENTS.md", { kind: "any" });
  await expect(dry.read("AGENTS.md")).rejects.toMatchObject({ code: "not_found" });

  expect(await text(workspace.read("AGENTS.md"))).toBe("as it is");
  expect((await workspace.walk("")).map(({ path }) => path)).toEqual(["AGENTS.md"]);
  expect(await workspace.versions("AGENTS.md")).toEqual([]);
});
