import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import type { DocumentStore } from "../../../src/memory/document-store.ts";
import { watchDatabase } from "../watch-database.ts";
import { expectConsistent, note, openIndex } from "./sync-lab.ts";

test("a new note is found without a comparison of all files", async () => {
  const lab = openIndex(env.MEMORY);
  await lab.sync();
  await lab.write("memory/today.md", "the harbour master called");
  expect((await lab.status()).pending).toBe(1);
  const { database, seen } = watchDatabase(env.MEMORY);
  expect(await lab.indexChanged(undefined, { database })).toEqual({ indexed: 1, left: 0 });
  expect(seen.calls).toBe(3);
  expect(await lab.find("harbour")).toEqual(["memory/today.md"]);
  await expectConsistent(lab, { "memory/today.md": "the harbour master called" });
});

test("without changes indexing costs one round trip", async () => {
  const lab = openIndex(env.MEMORY);
  await lab.sync();
  const { database, seen } = watchDatabase(env.MEMORY);
  expect(await lab.indexChanged(undefined, { database })).toEqual({ indexed: 0, left: 0 });
  expect(seen.calls).toBe(1);
});

test("rewritten, deleted and short-lived notes are indexed", async () => {
  const lab = openIndex(env.MEMORY);
  await lab.write("memory/a.md", "first");
  await lab.write("memory/b.md", "second");
  await lab.sync();
  await lab.write("memory/a.md", "third");
  await lab.remove("memory/b.md");
  await lab.write("memory/c.md", "fourth");
  await lab.remove("memory/c.md");
  expect(await lab.indexChanged()).toEqual({ indexed: 3, left: 0 });
  expect(await lab.find("third")).toEqual(["memory/a.md"]);
  expect(await lab.find("second")).toEqual([]);
  await lab.sync();
  await expectConsistent(lab, { "memory/a.md": "third" });
});

test("work that is too much for a search is left and counted", async () => {
  const lab = openIndex(env.MEMORY);
  await lab.sync();
  const files: Record<string, string> = { "memory/large.md": note("large", 200) };
  await lab.write("memory/large.md", note("large", 200));
  for (let i = 0; i < 6; i++) {
    lab.clock.now++;
    files[`memory/${i}.md`] = `small${i}`;
    await lab.write(`memory/${i}.md`, `small${i}`);
  }
  expect(await lab.indexChanged({ files: 4, bytes: 1000 })).toEqual({ indexed: 4, left: 1 });
  // The latest come first.
  expect(await lab.find("small5")).toEqual(["memory/5.md"]);
  expect(await lab.indexChanged({ files: 4, bytes: 1000 })).toEqual({ indexed: 2, left: 1 });
  expect(await lab.indexChanged({ files: 4, bytes: 1000 })).toEqual({ indexed: 0, left: 1 });
  await lab.sync();
  await expectConsistent(lab, files);
});

test("before the first comparison and after a change of settings, changes are left to the comparison", async () => {
  const lab = openIndex(env.MEMORY);
  await lab.write("memory/a.md", "first");
  expect(await lab.indexChanged()).toEqual({ indexed: 0, left: 1 });
  await lab.sync();
  await lab.write("memory/a.md", "second");
  expect(await lab.indexChanged(undefined, { settings: { chunking: { tokens: 90, overlap: 0 } } })).toEqual({
    indexed: 0,
    left: 1,
  });
  await lab.sync();
  await expectConsistent(lab, { "memory/a.md": "second" });
});

test("a write while its file is indexed is not lost", async () => {
  const lab = openIndex(env.MEMORY);
  await lab.sync();
  await lab.write("memory/a.md", "first");
  const [store] = lab.deps.stores as [DocumentStore];
  const late: DocumentStore = {
    ...store,
    async read(path) {
      const read = await store.read(path);
      await lab.write("memory/a.md", "second");
      return read;
    },
  };
  expect(await lab.indexChanged(undefined, { stores: [late] })).toEqual({ indexed: 1, left: 0 });
  expect(await lab.find("first")).toEqual(["memory/a.md"]);
  expect((await lab.status()).pending).toBe(1);
  expect(await lab.indexChanged()).toEqual({ indexed: 1, left: 0 });
  await expectAfterClearing(lab, { "memory/a.md": "second" });
});

test("a text read before its note was deleted does not bring it back", async () => {
  const lab = openIndex(env.MEMORY);
  await lab.sync();
  await lab.write("memory/a.md", "first");
  const [store] = lab.deps.stores as [DocumentStore];
  const slow: DocumentStore = {
    ...store,
    async read(path) {
      const read = await store.read(path);
      await lab.remove("memory/a.md");
      await lab.sync();
      return read;
    },
  };
  expect(await lab.indexChanged(undefined, { stores: [slow] })).toEqual({ indexed: 0, left: 1 });
  await expectConsistent(lab, {});
});

test("a file that is indexed during a listing stays", async () => {
  const lab = openIndex(env.MEMORY);
  await lab.sync();
  const [store] = lab.deps.stores as [DocumentStore];
  const early: DocumentStore = {
    ...store,
    async list() {
      const listed = await store.list();
      await lab.write("memory/a.md", "first");
      await lab.indexChanged();
      return listed;
    },
  };
  await lab.sync({}, { stores: [early] });
  await expectConsistent(lab, { "memory/a.md": "first" });
});

test("a file that is written again during a listing stays", async () => {
  const lab = openIndex(env.MEMORY);
  await lab.write("memory/a.md", "first");
  await lab.sync();
  await lab.workspace.remove("memory/a.md", { kind: "any" });
  const [store] = lab.deps.stores as [DocumentStore];
  const early: DocumentStore = {
    ...store,
    async list() {
      const listed = await store.list();
      await lab.write("memory/a.md", "second");
      await lab.indexChanged();
      return listed;
    },
  };
  await lab.sync({}, { stores: [early] });
  await expectConsistent(lab, { "memory/a.md": "second" });
});

test("an older text does not replace a newer version that a search has indexed", async () => {
  const lab = openIndex(env.MEMORY);
  await lab.write("memory/a.md", "old");
  await lab.sync();
  await lab.workspace.write("memory/a.md", "first", { kind: "any" });
  const [store] = lab.deps.stores as [DocumentStore];
  const slow: DocumentStore = {
    ...store,
    async read(path) {
      const read = await store.read(path);
      await lab.write("memory/a.md", "second");
      await lab.indexChanged();
      return read;
    },
  };
  expect(await lab.sync({}, { stores: [slow] })).toMatchObject({ left: 1 });
  expect(await lab.find("second")).toEqual(["memory/a.md"]);
  expect(await lab.find("first")).toEqual([]);
  await expectAfterClearing(lab, { "memory/a.md": "second" });
});

test("concurrent workers index a file once", async () => {
  const lab = openIndex(env.MEMORY);
  await lab.write("memory/a.md", "old");
  await lab.sync();
  const files = { "memory/a.md": note("crowd", 40), "memory/b.md": note("other", 40) };
  for (const [path, text] of Object.entries(files)) await lab.write(path, text);
  await Promise.all([lab.indexChanged(), lab.sync(), lab.indexChanged(), lab.sync(), lab.indexChanged()]);
  await expectAfterClearing(lab, files);
});

test("a change of a file that is not memory is settled", async () => {
  const lab = openIndex(env.MEMORY);
  await lab.sync();
  await lab.write("notes/other.md", "no memory");
  expect(await lab.indexChanged()).toEqual({ indexed: 0, left: 0 });
  await expectConsistent(lab, {});
});

/** Checks after an update, because `indexChanged` deletes nothing. */
async function expectAfterClearing(lab: ReturnType<typeof openIndex>, files: Record<string, string>) {
  await lab.sync();
  await expectConsistent(lab, files);
}

test("a deleted file of any length is not found by the next search", async () => {
  const lab = openIndex(env.MEMORY);
  await lab.write("memory/long.md", note("secret", 6_000));
  await lab.sync();
  expect((await lab.status()).chunks).toBeGreaterThan(500);
  await lab.remove("memory/long.md");
  expect(await lab.indexChanged()).toEqual({ indexed: 1, left: 0 });
  expect(await lab.find("secretx1")).toEqual([]);
  await lab.sync();
  await expectConsistent(lab, {});
});
