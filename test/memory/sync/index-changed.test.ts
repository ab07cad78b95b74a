import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import type { DocumentStore } from "../../../src/memory/document-store.ts";
import { watchDatabase } from "../watch-database.ts";
import { expectConsistent, note, openIndex } from "./sync-lab.ts";

test("a note that was written a moment ago is found without a comparison", async () => {
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

test("where nothing has changed it costs one round trip", async () => {
  const lab = openIndex(env.MEMORY);
  await lab.sync();
  const { database, seen } = watchDatabase(env.MEMORY);
  expect(await lab.indexChanged(undefined, { database })).toEqual({ indexed: 0, left: 0 });
  expect(seen.calls).toBe(1);
});

test("a note that was rewritten, one that was deleted, and one that was there for a moment only", async () => {
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

test("what is too much for a search is left, and counted", async () => {
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

test("before the first comparison, and under other settings, it is left to that", async () => {
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

test("what somebody read before a note was deleted does not bring it back", async () => {
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

test("a file that is indexed while all are listed stays", async () => {
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

test("a file that comes back while all are listed stays", async () => {
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

test("what somebody read before a search indexed a newer version is not written over it", async () => {
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

test("many who index the same at once index it once", async () => {
  const lab = openIndex(env.MEMORY);
  await lab.write("memory/a.md", "old");
  await lab.sync();
  const files = { "memory/a.md": note("crowd", 40), "memory/b.md": note("other", 40) };
  for (const [path, text] of Object.entries(files)) await lab.write(path, text);
  await Promise.all([lab.indexChanged(), lab.sync(), lab.indexChanged(), lab.sync(), lab.indexChanged()]);
  await expectAfterClearing(lab, files);
});

test("a change of what is no memory is taken for done", async () => {
  const lab = openIndex(env.MEMORY);
  await lab.sync();
  await lab.write("notes/other.md", "no memory");
  expect(await lab.indexChanged()).toEqual({ indexed: 0, left: 0 });
  await expectConsistent(lab, {});
});

/** Whoever indexes a few files clears nothing away. */
async function expectAfterClearing(lab: ReturnType<typeof openIndex>, files: Record<string, string>) {
  await lab.sync();
  await expectConsistent(lab, files);
}

test("a file that is gone is gone from the next search, however long it was", async () => {
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
