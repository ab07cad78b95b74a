import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { changeFiles } from "../../../src/memory/store/change-files.ts";
import { dropIndex } from "../../../src/memory/store/clear-index.ts";
import { takeLease } from "../../../src/memory/store/lease.ts";

const NOW = 1_800_000_000_000;

/** An index without files, and a file to store in it. */
async function empty(agentId: string) {
  const lease = await takeLease(env.MEMORY, agentId, { form: "1", force: false, now: NOW, until: NOW + 1000 });
  const document = { path: "memory/a.md", source: "memory", etag: "1", size: 5, modifiedAt: NOW } as const;
  const added = [{ startLine: 1, endLine: 1, hash: "a", text: "Heron" }];
  const change = { document, live: undefined, added, removed: [], warning: undefined, token: undefined };
  return { index: lease!.index, change };
}

const filesOf = (memoryId: number) =>
  env.MEMORY.prepare("select count(*) as n from files where memory_id = ?").bind(memoryId).first<number>("n");

test("a dropped index gets no files from a worker that still has it open", async () => {
  const { index, change } = await empty("dropped");
  expect(await dropIndex(env.MEMORY, "dropped", NOW + 1000)).toBe(true);
  expect(await changeFiles(index, [change], NOW)).toBe(false);
  expect(await filesOf(index.memoryId)).toBe(0);
});

test("an index with a lease or a file is not dropped", async () => {
  const { index, change } = await empty("kept");
  expect(await dropIndex(env.MEMORY, "kept", NOW)).toBe(false);
  expect(await changeFiles(index, [change], NOW)).toBe(true);
  expect(await dropIndex(env.MEMORY, "kept", NOW + 1000)).toBe(false);
  expect(await filesOf(index.memoryId)).toBe(1);
});
