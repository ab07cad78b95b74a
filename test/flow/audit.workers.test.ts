import { expect, test } from "vitest";
import { definePlugin } from "../../src/plugins/plugin.ts";
import { call, env, finished, say, script, waitFor } from "./client.ts";
import { auditOf } from "./plugin-lab.ts";
import { configure, evict, plug, session, sql } from "./session-lab.ts";

const rainy = definePlugin({
  name: "rainy",
  summary: "Tells of the weather",
  hooks: { before_prompt_build: { run: () => ({ prependContext: "It is raining." }) } },
});

/** A session with one turn that a plugin has changed. */
async function rained(name: string): Promise<void> {
  await script(name, [{ text: "ok" }, { text: "ok" }]);
  await plug(name, [rainy]);
  await finished((await say("hello", name, session(name))).runId);
}

/** A line that was stored and not told, as a death leaves it. */
async function leave(name: string, id: string): Promise<void> {
  const line = JSON.stringify({ id, at: 5, kind: "prompt", by: "tester", subject: "section a" });
  await sql(name, "INSERT INTO audit_pending (body) VALUES (?)", line);
}

const untold = async (name: string) => (await sql(name, "SELECT * FROM audit_pending")).length;

test("an audit entry that was not written when the object died is written once, by the next request", async () => {
  const name = "untold";
  await rained(name);
  const [line] = await auditOf(name);
  await waitFor(async () => (await untold(name)) === 0);
  // As if the object had died after the commit, and another time after the telling.
  for (const id of ["aud_untold", line!.id]) await leave(name, id);
  await evict(name);
  await call("GET", `/v1/sessions/${session(name).sessionKey}/history`);
  const lines = await auditOf(name, 2);
  expect(lines.map(({ id }) => id).sort()).toEqual([line!.id, "aud_untold"].sort());
  expect(lines.find(({ id }) => id === line!.id)?.subject).toBe("prependContext");
  await waitFor(async () => (await untold(name)) === 0);
});

test("a deleted session first writes its pending audit entries, and they stay", async () => {
  const name = "told-last";
  await rained(name);
  await auditOf(name);
  await waitFor(async () => (await untold(name)) === 0);
  await leave(name, "aud_last");
  await evict(name);
  expect((await call("DELETE", `/v1/sessions/${encodeURIComponent(session(name).sessionKey)}`)).status).toBe(204);
  expect((await auditOf(name, 2)).map(({ id }) => id)).toContain("aud_last");
});

test("a damaged audit entry is left out and does not block the others", async () => {
  const name = "damaged-line";
  await rained(name);
  await auditOf(name);
  await sql(name, "INSERT INTO audit_pending (body) VALUES ('{nonsense')");
  await leave(name, "aud_after_damage");
  await evict(name);
  await call("GET", `/v1/sessions/${session(name).sessionKey}/history`);
  expect((await auditOf(name, 2)).map(({ id }) => id)).toContain("aud_after_damage");
  await waitFor(async () => (await untold(name)) === 0);
});

test("a turn that no plugin changes writes no audit entry", async () => {
  const name = "unchanged";
  await script(name, [{ text: "ok" }]);
  const idle = definePlugin({ name: "idle", summary: "Looks on", hooks: { before_prompt_build: { run: () => ({}) } } });
  await plug(name, [idle]);
  await finished((await say("hello", name, session(name))).runId);
  await rained("changed-after");
  await auditOf("changed-after");
  const lines = env.DB.prepare("SELECT count(*) AS n FROM audit WHERE session_key = ?");
  expect(await lines.bind(session(name).sessionKey).first("n")).toBe(0);
});

test("audit entries are deleted when they are older than the history retention, and not before", async () => {
  const name = "old-lines";
  const insert = env.DB.prepare(
    "INSERT INTO audit (id, at, kind, agent_id, session_key, by, subject) VALUES (?, ?, 'prompt', ?, 'gone', 'x', 'y')",
  );
  const lines = [
    ["aud_old", 5, "main"],
    ["aud_new", Date.now(), "main"],
    ["aud_of_another", 5, "other"],
  ] as const;
  await env.DB.batch(lines.map((line) => insert.bind(...line)));
  await script(name, [{ text: "ok" }]);
  await configure(name, (config) => ({ ...config, session: { retention: { days: 30 } } }));
  await finished((await say("hello", name, session(name))).runId);
  const left = async () => {
    const { results } = await env.DB.prepare("SELECT id FROM audit WHERE session_key = 'gone' ORDER BY id").all();
    return results.map(({ id }) => id);
  };
  await waitFor(async () => (await left()).length < 3);
  expect(await left()).toEqual(["aud_new", "aud_of_another"]);
});

test("the audit trail is listed by agent and kind, newest first, and paging loses no entry of the same millisecond", async () => {
  const insert = env.DB.prepare(
    "INSERT INTO audit (id, at, kind, agent_id, session_key, by, subject) VALUES (?, ?, ?, 'other', 'pages', 'x', 'y')",
  );
  const kinds = ["prompt", "tool", "prompt", "prompt", "tool"];
  await env.DB.batch(kinds.map((kind, n) => insert.bind(`aud_page_${n}`, n < 4 ? 7 : 9, kind)));
  const read = async (query: string) => {
    const seen: string[] = [];
    let before = "";
    do {
      const page = await (await call("GET", `/v1/audit?limit=2&agentId=other${query}${before}`)).json<{
        entries: { id: string; sessionKey: string }[];
        before?: string;
      }>();
      seen.push(...page.entries.flatMap(({ id, sessionKey }) => (sessionKey === "pages" ? [id] : [])));
      before = page.before === undefined ? "" : `&before=${encodeURIComponent(page.before)}`;
    } while (before !== "");
    return seen;
  };
  expect(await read("")).toEqual(["aud_page_4", "aud_page_3", "aud_page_2", "aud_page_1", "aud_page_0"]);
  expect(await read("&kind=tool")).toEqual(["aud_page_4", "aud_page_1"]);
  expect((await call("GET", "/v1/audit?kind=nonsense")).status).toBe(400);
  expect((await call("GET", "/v1/audit?sort=up")).status).toBe(400);
});
