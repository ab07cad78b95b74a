import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { clearMemory } from "../../src/services/memory/clear-memory.ts";
import { watchDatabase } from "../memory/watch-database.ts";
import { MemoryLab } from "./memory-lab.ts";

const memorySearch = { provider: "local" };
const message = (agentId: string) => ({ kind: "index-memory", agentId });

/** An agent with a memory of notes and vectors, all of whose rows can be counted, also when nothing points to them any more. */
async function remembering(agentId: string) {
  const lab = new MemoryLab([{ id: agentId, memorySearch }]);
  for (const n of [1, 2, 3]) await lab.put(agentId, `memory/${n}.md`, `Heron number ${n} on the weir.`);
  await lab.index(agentId);
  return { lab, rows: await rowsOf(agentId) };
}

async function rowsOf(agentId: string) {
  const all = async (query: string, ...bound: unknown[]) => {
    const { results } = await env.MEMORY.prepare(query)
      .bind(...bound)
      .all<{ id: number }>();
    return JSON.stringify(results.map(({ id }) => id));
  };
  const count = async (query: string, ...bound: unknown[]) => {
    const statement = env.MEMORY.prepare(`select count(*) as n from ${query}`).bind(...bound);
    return (await statement.first<number>("n"))!;
  };
  const memoryId = await env.MEMORY.prepare("select id from meta where agent_id = ?").bind(agentId).first<number>("id");
  const files = await all("select id from files where memory_id = ?", memoryId);
  const spaces = await all("select id from spaces where memory_id = ?", memoryId);
  return async () => ({
    meta: await count("meta where agent_id = ?", agentId),
    changes: await count("changes where agent_id = ?", agentId),
    files: await count("files where memory_id = ?", memoryId),
    chunks: await count("chunks where file_id in (select value from json_each(?))", files),
    terms: await count("chunk_terms where chunk_terms match ?", `"${memoryId}a" *`),
    spaces: await count("spaces where memory_id = ?", memoryId),
    vectors: await count("vectors where space_id in (select value from json_each(?))", spaces),
  });
}

const WHOLE = { meta: 1, changes: 0, files: 3, chunks: 3, terms: 3, spaces: 1, vectors: 3 };
const NOTHING = { meta: 0, changes: 0, files: 0, chunks: 0, terms: 0, spaces: 0, vectors: 0 };

describe("what is stored of an agent's memory", () => {
  test("goes when that is switched off, changes too, and another agent's stays", async () => {
    const neighbour = await remembering("clear-neighbour");
    const { lab, rows } = await remembering("clear-off");
    expect(await rows()).toEqual(WHOLE);
    await lab.put("clear-off", "memory/4.md", "Not indexed yet.");
    const off = new MemoryLab([{ id: "clear-off", memorySearch: { enabled: false } }]);
    expect(await off.deliver([message("clear-off")])).toEqual({ acked: ["m0"], retried: [] });
    expect(await rows()).toEqual(NOTHING);
    expect(off.asked).toEqual([]);
    expect(await neighbour.rows()).toEqual(WHOLE);
    expect(await neighbour.lab.found("clear-neighbour", "heron 2")).toContain("memory/2.md#L1");
  });

  test("is made anew when it is switched on again", async () => {
    const { lab } = await remembering("clear-mistake");
    const off = new MemoryLab([{ id: "clear-mistake", memorySearch: { enabled: false } }]);
    await off.deliver([message("clear-mistake")]);
    expect(await lab.found("clear-mistake", "heron 2")).toContain("memory/2.md#L1");
  });

  test("goes with an agent that is no longer configured", async () => {
    const { rows } = await remembering("clear-removed");
    await new MemoryLab([]).deliver([message("clear-removed")]);
    expect(await rows()).toEqual(NOTHING);
  });

  test("is deleted completely, wherever the work was interrupted before", async () => {
    const { lab, rows: first } = await remembering("clear-crash");
    let rows = first;
    let at = 1;
    for (let isOver = false; !isOver; at++) {
      for (const when of ["before", "after"] as const) {
        const { database } = watchDatabase(env.MEMORY, { dies: { at, when } });
        const { retried } = await new MemoryLab([], { MEMORY: database }).deliver([message("clear-crash")]);
        isOver = retried.length === 0;
        await freed("clear-crash");
        await new MemoryLab([]).deliver([message("clear-crash")]);
        expect([at, when, await rows()]).toEqual([at, when, NOTHING]);
        await lab.index("clear-crash");
        rows = await rowsOf("clear-crash");
        expect(await rows()).toEqual(WHOLE);
      }
    }
    expect(at).toBeGreaterThan(10);
  });

  test("is deleted in steps when time is short, and each step queues the next", async () => {
    const { rows } = await remembering("clear-steps");
    await env.MEMORY.prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 1100)
       insert into chunks (file_id, start_line, end_line, hash, text)
       select (select min(files.id) from files join meta on meta.id = memory_id where agent_id = 'clear-steps'), i, i, i, i from n`,
    ).run();
    const { bindings, asked } = new MemoryLab([]);
    const deps = { env: bindings, agentId: "clear-steps", host: "workerd", now: Date.now } as const;
    const left: number[] = [];
    do {
      await clearMemory(deps, { budgetMs: 0 });
      left.push((await rows()).chunks);
    } while (asked.length === left.length);
    expect(left).toEqual([603, 103, 0]);
    expect(asked[0]).toEqual({ agentId: "clear-steps", delaySeconds: 0 });
    expect(await rows()).toEqual(NOTHING);
  });

  test("stays while another worker holds the lock, and is queued again", async () => {
    const { rows } = await remembering("clear-busy");
    const until = Date.now() + 60_000;
    await env.MEMORY.prepare("update meta set leased_until = ? where agent_id = 'clear-busy'").bind(until).run();
    const gone = new MemoryLab([]);
    await gone.deliver([message("clear-busy")]);
    expect(await rows()).toMatchObject({ meta: 1, files: 3 });
    expect(gone.asked).toEqual([{ agentId: "clear-busy", delaySeconds: 15 }]);
    await freed("clear-busy");
    await gone.deliver([message("clear-busy")]);
    expect(await rows()).toEqual(NOTHING);
  });
});

/** Lets the time go by in which whoever was at work would be at it still. */
async function freed(agentId: string): Promise<void> {
  await env.MEMORY.prepare("update meta set leased_until = null where agent_id = ?").bind(agentId).run();
}
