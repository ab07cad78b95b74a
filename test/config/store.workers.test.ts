import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { ConfigStore, type ConfigWrite, KEPT_REVISIONS, MAX_DOCUMENT_BYTES } from "../../src/config/store.ts";

const store = new ConfigStore(env.DB);

function change(base: number, more: Partial<ConfigWrite> = {}): ConfigWrite {
  return {
    base,
    document: { agents: { defaults: { model: `fake/${base + 1}` } } },
    author: "api:token",
    note: null,
    changed: ["agents.defaults.model"],
    now: 1000 + base,
    audit: { id: `aud_${crypto.randomUUID()}`, agentId: "main", sessionKey: "", runId: null },
    ...more,
  };
}

async function auditLines() {
  const { results } = await env.DB.prepare("select subject, by, detail from audit where kind = 'config'").all();
  return results;
}

test("of ten writes from one revision one wins, with one row of the audit trail", async () => {
  expect(await store.newest({ revision: 0 })).toEqual({ revision: 0, skillChanges: 0, moves: [], zones: [] });
  const base = 0;
  const writers = Array.from({ length: 10 }, (_, n) => store.write(change(base, { document: { n } })));
  const came = await Promise.all(writers);
  expect(came.map(({ kind }) => kind).sort()).toEqual([...Array(9).fill("conflict"), "written"]);
  expect(came.every(({ revision }) => revision === 1)).toBe(true);
  const winner = came.findIndex(({ kind }) => kind === "written");
  expect(await store.current()).toMatchObject({ revision: 1, document: { n: winner } });
  expect(await auditLines()).toEqual([
    { subject: "revision 0 to 1", by: "api:token", detail: "agents.defaults.model" },
  ]);
});

test("a document is read only by a caller that does not have its revision", async () => {
  const { revision, document } = await store.newest({ revision: 0 });
  expect(document).toBeDefined();
  expect(await store.newest({ revision })).toEqual({ revision, skillChanges: 0, moves: [], zones: [] });
});

test("the history has the newest first, goes on where it ended, and gives single revisions", async () => {
  await store.write(change(1, { note: "a second one" }));
  await store.write(change(2, { author: "import", changed: ["a", "b[0]"] }));
  const [newest] = await store.history(1);
  expect(newest).toEqual({ revision: 3, author: "import", note: null, changed: ["a", "b[0]"], createdAt: 1002 });
  expect((await store.history(10, 3)).map(({ revision }) => revision)).toEqual([2, 1]);
  expect(await store.at(2)).toMatchObject({ note: "a second one", document: { agents: expect.anything() } });
  expect(await store.before(3)).toMatchObject({ revision: 2 });
  expect(await store.at(77)).toBeUndefined();
});

test("a document that is too large is refused before it is stored", async () => {
  const document = { prompt: "x".repeat(MAX_DOCUMENT_BYTES) };
  await expect(store.write(change(3, { document }))).rejects.toMatchObject({ code: "payload_too_large" });
  expect((await store.newest({ revision: 0 })).revision).toBe(3);
});

test("old revisions are deleted, and numbers continue", async () => {
  for (let base = 3; base < KEPT_REVISIONS + 5; base++) await store.write(change(base, { now: base }));
  const kept = await store.history(1000);
  expect(kept).toHaveLength(KEPT_REVISIONS);
  expect([kept[0]?.revision, kept.at(-1)?.revision]).toEqual([KEPT_REVISIONS + 5, 6]);
});
