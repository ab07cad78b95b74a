import { createScheduledController, env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { tick } from "../../src/events/scheduled.ts";
import worker from "../../src/index.ts";

const MINUTE_MS = 60_000;
/** Not at the beginning of an hour. */
const NOW = Date.UTC(2026, 10, 22, 12, 10);

/** The Worker with these agents: what it puts into the queue, and how often it asks the database of memory. */
function deployment(list: object[]) {
  const asked: string[] = [];
  let questions = 0;
  const prepare = (query: string) => {
    questions++;
    return env.MEMORY.prepare(query);
  };
  const sendBatch = async (messages: Iterable<{ body: { agentId: string } }>) => {
    asked.push(...[...messages].map(({ body }) => body.agentId));
  };
  const bindings = {
    ...env,
    ISOPOD_CONFIG: JSON.stringify({ agents: { list } }),
    INDEXING: { sendBatch },
    MEMORY: { prepare },
  } as unknown as Env;
  return { bindings, asked, questions: () => questions };
}

const every = (intervalMinutes: number, more: object = {}) => ({
  memorySearch: { sync: { intervalMinutes }, ...more },
});

async function compared(agentId: string, at: number | null): Promise<void> {
  await env.MEMORY.prepare("insert into meta (agent_id, compared_at) values (?, ?)").bind(agentId, at).run();
}

describe("the cron tick", () => {
  test("sends nothing without an agent that has an interval", async () => {
    const { bindings, asked, questions } = deployment([{ id: "idle" }, { id: "off", ...every(5, { enabled: false }) }]);
    await tick(bindings, NOW);
    expect([asked, questions()]).toEqual([[], 0]);
  });

  test("requests a comparison of memories whose interval has passed, or that were never compared", async () => {
    await compared("due", NOW - 30 * MINUTE_MS);
    await compared("fresh", NOW - 29 * MINUTE_MS);
    await compared("never", null);
    const ids = ["due", "fresh", "never", "unknown"];
    const { bindings, asked, questions } = deployment(ids.map((id) => ({ id, ...every(30) })));
    await tick(bindings, NOW);
    expect(asked).toEqual(["due", "never", "unknown"]);
    expect(questions()).toBe(1);
  });

  test("handles more agents than one query and one queue call take", async () => {
    const ids = Array.from({ length: 250 }, (_, n) => `many-${n}`);
    const { bindings, asked, questions } = deployment(ids.map((id) => ({ id, ...every(5) })));
    await tick(bindings, NOW);
    expect([asked, questions()]).toEqual([ids, 3]);
  });

  test("requests the clearing of a few indexes without an agent, once an hour", async () => {
    await env.MEMORY.prepare("delete from meta").run();
    const removed = Array.from({ length: 7 }, (_, n) => `removed-${n}`);
    for (const [n, id] of removed.entries()) await compared(id, NOW - n);
    await compared("off", 0);
    await compared("on", 0);
    const { bindings, asked, questions } = deployment([{ id: "on" }, { id: "off", ...every(0, { enabled: false }) }]);
    const hour = Date.UTC(2026, 10, 22, 13);
    for (let minute = 0; minute < 60; minute += 5) await tick(bindings, hour + minute * MINUTE_MS);
    expect(asked).toEqual(["off", "removed-6", "removed-5", "removed-4", "removed-3"]);
    expect(questions()).toBe(1);
  });

  test("is the Worker's scheduled handler, and does not fail while the database is down", async () => {
    const { bindings } = deployment([{ id: "due", ...every(5) }]);
    const prepare = () => {
      throw new Error("D1 is down");
    };
    const broken = { ...bindings, MEMORY: { prepare } } as unknown as Env;
    const controller = createScheduledController({ scheduledTime: new Date(NOW), cron: "*/5 * * * *" });
    await worker.scheduled(controller, broken);
  });
});
