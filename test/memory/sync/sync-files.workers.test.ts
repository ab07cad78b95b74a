import { env } from "cloudflare:test";
import { expect, test, vi } from "vitest";
import type { Document, DocumentStore } from "../../../src/memory/document-store.ts";
import { noteChange } from "../../../src/memory/store/changes.ts";
import { workspaceDocuments } from "../../../src/memory/sync/workspace-documents.ts";
import { watchWorkspace } from "../../workspace/open-workspace.ts";
import { watchDatabase } from "../watch-database.ts";
import { expectConsistent, note, openIndex } from "./sync-lab.ts";

test("the first comparison indexes all memory files and their words", async () => {
  const lab = openIndex(env.MEMORY);
  const files = {
    "MEMORY.md": note("major", 30),
    "memory.md": "minor",
    "memory/2026-11-22.md": note("today", 100),
    "memory/deep/empty.md": "",
  };
  for (const [path, text] of Object.entries(files)) await lab.workspace.write(path, text, { kind: "new" });
  await lab.workspace.write("AGENTS.md", "no memory", { kind: "new" });
  expect(await lab.sync()).toEqual({ left: 0, busy: false, indexed: 4 });
  await expectConsistent(lab, files);
  expect(await lab.find("todayx57")).toContain("memory/2026-11-22.md");
  expect(await lab.find("minor")).toEqual(["memory.md"]);
  expect((await lab.status()).comparedAt).toBe(lab.clock.now);
});

test("a file that has not changed is not read again", async () => {
  const lab = openIndex(env.MEMORY);
  await lab.workspace.write("memory/a.md", "one", { kind: "new" });
  await lab.workspace.write("memory/b.md", "two", { kind: "new" });
  await lab.sync();
  await lab.workspace.write("memory/b.md", "three", { kind: "any" });
  const [store] = lab.deps.stores;
  const read = vi.spyOn(store as DocumentStore, "read");
  expect(await lab.sync()).toMatchObject({ indexed: 1, left: 0 });
  expect(read.mock.calls).toEqual([["memory/b.md"]]);
  await expectConsistent(lab, { "memory/a.md": "one", "memory/b.md": "three" });
});

test("a growing note keeps its chunks, and vectors of deleted chunks are removed once", async () => {
  const lab = openIndex(env.MEMORY);
  const text = note("grows", 400);
  await lab.workspace.write("memory/log.md", text, { kind: "new" });
  await lab.sync();
  const before = await lab.rows();
  const longer = `${text}\nand one more line`;
  await lab.workspace.write("memory/log.md", longer, { kind: "any" });
  const { database, seen } = watchDatabase(env.MEMORY);
  await lab.sync({}, { database });
  const after = await lab.rows();
  expect(after.slice(0, before.length - 1)).toEqual(before.slice(0, -1));
  expect([...lab.forgotten]).toEqual([before.at(-1)?.chunkId]);
  expect(seen.rowsWritten).toBeLessThan(40);
  await expectConsistent(lab, { "memory/log.md": longer });
});

test("a deleted file leaves the index, and the vectors of its chunks are removed", async () => {
  const lab = openIndex(env.MEMORY);
  await lab.workspace.write("memory/a.md", note("leaving", 60), { kind: "new" });
  await lab.workspace.write("memory/b.md", "staying", { kind: "new" });
  await lab.sync();
  const left = (await lab.rows()).filter(({ path }) => path === "memory/a.md").map(({ chunkId }) => chunkId);
  await lab.workspace.remove("memory/a.md", { kind: "any" });
  expect(await lab.sync()).toMatchObject({ indexed: 1, left: 0 });
  expect(await lab.find("leavingx7")).toEqual([]);
  expect([...lab.forgotten].sort()).toEqual(left.sort());
  await expectConsistent(lab, { "memory/b.md": "staying" });
});

test("binary and too large files are reported and not searched", async () => {
  const lab = openIndex(env.MEMORY);
  const utf16 = new Uint8Array([
    0xff,
    0xfe,
    ...new Uint8Array(new Uint16Array([..."wide note"].map((c) => c.charCodeAt(0))).buffer),
  ]);
  const files: [string, string | Uint8Array][] = [
    ["memory/picture.md", crypto.getRandomValues(new Uint8Array(3000))],
    ["memory/zeros.md", new Uint8Array(500)],
    ["memory/utf16.md", utf16],
    ["memory/control.md", "before\u0000after the control"],
    ["memory/broken.md", new Uint8Array([...new TextEncoder().encode("a long line with one byte too many: "), 0xff])],
    ["memory/mark.md", "\ufeffmarked\r\nlines\r\n"],
  ];
  for (const [path, content] of files) await lab.workspace.write(path, content, { kind: "new" });
  await env.FILES.put(`${lab.prefix}memory/huge.md`, new Uint8Array(10 * 1024 * 1024 + 1));
  expect(await lab.sync()).toEqual({ left: 0, busy: false, indexed: 7 });
  const { warnings, files: count } = await lab.status();
  expect(count).toBe(7);
  const warned = Object.fromEntries(warnings.map(({ path, message }) => [path, message]));
  expect(warned["memory/picture.md"]).toContain("not text in UTF-8");
  expect(warned["memory/zeros.md"]).toContain("control characters");
  expect(warned["memory/huge.md"]).toBe("It has 10485761 bytes, more than is read.");
  expect(warned["memory/broken.md"]).toContain("in 1 places");
  expect(Object.keys(warned)).toHaveLength(4);
  expect(await lab.find("wide")).toEqual(["memory/utf16.md"]);
  expect(await lab.find("after")).toEqual(["memory/control.md"]);
  expect((await lab.rows()).find(({ path }) => path === "memory/mark.md")?.text).toBe("marked\nlines");
  // Unchanged files are not read again.
  expect(await lab.sync()).toMatchObject({ indexed: 0 });
});

test("composed and decomposed accents are the same file", async () => {
  const lab = openIndex(env.MEMORY);
  await lab.workspace.write("memory/cafe\u0301.md", "espresso", { kind: "new" });
  await lab.sync();
  await noteChange(env.MEMORY, lab.agentId, "memory/cafe\u0301.md", "accent", lab.clock.now);
  expect((await lab.status()).pending).toBe(1);
  await lab.sync();
  await expectConsistent(lab, { "memory/caf\u00e9.md": "espresso" });
});

test("changed settings and force index all files again while the old versions answer", async () => {
  const lab = openIndex(env.MEMORY);
  const files: Record<string, string> = {};
  for (let i = 0; i < 60; i++) files[`memory/${i}.md`] = note(`anew${i}y`, 20);
  for (const [path, text] of Object.entries(files)) await lab.workspace.write(path, text, { kind: "new" });
  await lab.sync();
  const before = new Set((await lab.rows()).map(({ chunkId }) => chunkId));
  lab.deps.settings = { chunking: { tokens: 80, overlap: 0 } };
  // Of 60 files one step takes 25.
  expect(await lab.sync({ budgetMs: 0 })).toMatchObject({ indexed: 25, left: 36 });
  expect((await lab.status()).pending).toBe(35);
  for (let i = 0; i < 60; i++) expect(new Set(await lab.find(`anew${i}yx3`))).toEqual(new Set([`memory/${i}.md`]));
  expect(await lab.sync()).toMatchObject({ indexed: 35, left: 0 });
  await expectConsistent(lab, files);
  expect(await lab.sync({ force: true })).toMatchObject({ indexed: 60, left: 0 });
  await expectConsistent(lab, files);
  expect((await lab.rows()).filter(({ chunkId }) => before.has(chunkId))).toEqual([]);
  expect(await lab.sync()).toMatchObject({ indexed: 0 });
});

test("force is remembered while another worker has the lease", async () => {
  const lab = openIndex(env.MEMORY);
  await lab.workspace.write("memory/a.md", "one", { kind: "new" });
  await lab.sync();
  const until = lab.clock.now + 1000;
  await env.MEMORY.prepare("UPDATE meta SET leased_until = ? WHERE agent_id = ?").bind(until, lab.agentId).run();
  expect(await lab.sync({ force: true })).toEqual({ left: 1, busy: true, indexed: 0 });
  expect((await lab.status()).busy).toBe(true);
  lab.clock.now = until;
  expect(await lab.sync()).toMatchObject({ indexed: 1, busy: false });
});

test("a store that does not answer removes nothing, and the status reports it", async () => {
  const lab = openIndex(env.MEMORY);
  await lab.workspace.write("memory/a.md", "one", { kind: "new" });
  await lab.sync();
  const [store] = lab.deps.stores;
  const silent = {
    ...(store as DocumentStore),
    list: () => Promise.reject(new Error("The file store did not answer: out")),
  };
  lab.clock.now += 5;
  await lab.write("memory/a.md", "two");
  expect(await lab.sync({}, { stores: [silent] })).toMatchObject({ failure: "The file store did not answer: out" });
  const status = await lab.status();
  expect(status).toMatchObject({ files: 1, pending: 1, comparedAt: lab.clock.now - 5 });
  expect(status.failure).toEqual({ message: "The file store did not answer: out", at: lab.clock.now });
  await lab.sync();
  await expectConsistent(lab, { "memory/a.md": "two" });
});

test("an unreadable document does not delay the others", async () => {
  const lab = openIndex(env.MEMORY);
  await lab.workspace.write("memory/a.md", "one", { kind: "new" });
  await lab.workspace.write("memory/b.md", "two", { kind: "new" });
  const [store] = lab.deps.stores;
  const refusing = {
    ...(store as DocumentStore),
    read: (path: string) =>
      path.endsWith("a.md") ? Promise.reject(new Error("no answer")) : (store as DocumentStore).read(path),
  };
  expect(await lab.sync({}, { stores: [refusing] })).toMatchObject({ left: 1, indexed: 1, failure: "no answer" });
  expect((await lab.status()).pending).toBe(1);
  await lab.sync();
  await expectConsistent(lab, { "memory/a.md": "one", "memory/b.md": "two" });
});

test("vectors that cannot be removed now are removed later and do not block indexing", async () => {
  const lab = openIndex(env.MEMORY);
  await lab.workspace.write("memory/a.md", "one", { kind: "new" });
  await lab.workspace.write("memory/b.md", "two", { kind: "new" });
  await lab.sync();
  const ids = (await lab.rows()).map(({ chunkId }) => chunkId);
  await lab.workspace.write("memory/a.md", "three", { kind: "any" });
  await lab.workspace.remove("memory/b.md", { kind: "any" });
  const refuse = () => Promise.reject(new Error("Vectorize did not answer."));
  expect(await lab.sync({}, { removeVectors: refuse })).toMatchObject({
    left: 0,
    failure: "Vectorize did not answer.",
  });
  expect(await lab.find("three")).toEqual(["memory/a.md"]);
  await lab.sync();
  expect([...lab.forgotten].sort()).toEqual(ids.sort());
  await expectConsistent(lab, { "memory/a.md": "three" });
});

test("documents of a store that is no longer configured leave the index", async () => {
  const said: Record<string, string> = { "sessions/main.md": "we spoke of the harbour" };
  const transcripts: DocumentStore = {
    source: "sessions",
    covers: (path) => path.startsWith("sessions/"),
    list: async () => Object.keys(said).map(documentOf),
    stat: async (path) => (said[path] === undefined ? undefined : documentOf(path)),
    read: async (path) => (said[path] === undefined ? undefined : { document: documentOf(path), text: said[path] }),
  };
  function documentOf(path: string): Document {
    const text = said[path] ?? "";
    return { path, source: "sessions", etag: String(text.length), size: text.length, modifiedAt: 0 };
  }
  const lab = openIndex(env.MEMORY);
  await lab.workspace.write("MEMORY.md", "a file", { kind: "new" });
  const stores = [...lab.deps.stores, transcripts];
  await lab.sync({}, { stores });
  said["sessions/main.md"] += "\nand of the sea";
  await lab.sync({}, { stores });
  expect(await lab.find("sea")).toEqual(["sessions/main.md"]);
  await lab.sync();
  await expectConsistent(lab, { "MEMORY.md": "a file" });
});

test("indexes of two agents are separate", async () => {
  const [one, two] = [openIndex(env.MEMORY), openIndex(env.MEMORY)];
  await one.workspace.write("MEMORY.md", "shared word", { kind: "new" });
  await two.workspace.write("MEMORY.md", "shared word", { kind: "new" });
  await Promise.all([one.sync(), two.sync()]);
  await one.workspace.remove("MEMORY.md", { kind: "any" });
  await one.sync();
  expect(await one.find("shared")).toEqual([]);
  expect(await two.find("shared")).toEqual(["MEMORY.md"]);
  await expectConsistent(one, {});
  await expectConsistent(two, { "MEMORY.md": "shared word" });
});

test("a listing costs one operation for the root and each folder, and one more for a single file", async () => {
  const { workspace, calls } = watchWorkspace();
  for (const path of ["MEMORY.md", "Memory/x.md", "memory/y.md", "notes/z.txt", "notes/p.png", "todo.txt"]) {
    await workspace.write(path, path, { kind: "new" });
  }
  calls.length = 0;
  const extraPaths = ["notes", "notes/deeper", "todo.txt", "absent"];
  const listed = await workspaceDocuments(workspace, { sources: ["memory"], extraPaths }).list();
  expect(listed.map(({ path }) => path)).toEqual([
    "MEMORY.md",
    "Memory/x.md",
    "memory/y.md",
    "notes/z.txt",
    "todo.txt",
  ]);
  expect(calls.map((call) => call.split(" ")[0]).sort()).toEqual(["head", "head", ...Array(6).fill("list")]);
});

test("a note of 10 MiB is indexed in calls of one second", { timeout: 120_000 }, async () => {
  const lab = openIndex(env.MEMORY);
  lab.deps.settings = { chunking: { tokens: 400, overlap: 80 } };
  // Each reading of the clock advances it.
  lab.deps.now = () => {
    lab.clock.now += 50;
    return lab.clock.now;
  };
  const text = note("mega", 255_000);
  expect(text.length).toBeGreaterThan(9.8 * 1024 * 1024);
  await lab.workspace.write("memory/mega.md", text, { kind: "new" });
  let calls = 0;
  for (let left = 1; left > 0; calls++) ({ left } = await lab.sync({ budgetMs: 1000 }));
  expect(calls).toBeGreaterThan(1);
  for (const word of ["megax0", "megax123456", "megax239999"]) expect(await lab.find(word)).toContain("memory/mega.md");
  await expectConsistent(lab, { "memory/mega.md": text });
});

test("one call indexes as many files as an invocation permits, the newest first, and the next call the others", async () => {
  const lab = openIndex(env.MEMORY);
  const documents = Array.from({ length: 2_010 }, (_, at): Document => {
    return { path: `memory/n${at}.md`, source: "memory", etag: "1", size: 20, modifiedAt: at };
  });
  const byPath = new Map(documents.map((document) => [document.path, document]));
  const stat = async (path: string) => byPath.get(path);
  const read = vi.fn(async (path: string) => {
    const document = byPath.get(path);
    return document && { document, text: `${path} is here` };
  });
  const store: DocumentStore = { source: "memory", covers: () => true, list: async () => documents, stat, read };
  const { database, seen } = watchDatabase(env.MEMORY);
  expect(await lab.sync({}, { database, stores: [store] })).toEqual({ left: 10, busy: false, indexed: 2_000 });
  expect(read).toHaveBeenCalledTimes(2_000);
  expect(seen.calls).toBeLessThan(200);
  expect(await lab.sync({}, { stores: [store] })).toEqual({ left: 0, busy: false, indexed: 10 });
  expect(read.mock.lastCall).toEqual(["memory/n0.md"]);
});
