import { createExecutionContext, createMessageBatch, env, getQueueResult } from "cloudflare:test";
import { expect, test } from "vitest";
import { QUEUES } from "../../src/events/queue-names.ts";
import worker from "../../src/index.ts";
import { openWorkspace } from "../workspace/open-workspace.ts";

async function deliver(queue: string, bodies: unknown[]) {
  const messages = bodies.map((body, i) => ({ id: `m${i}`, timestamp: new Date(), attempts: 1, body }));
  const batch = createMessageBatch(queue, messages);
  const context = createExecutionContext();
  await worker.queue(batch, env, context);
  const { explicitAcks, retryMessages } = await getQueueResult(batch, context);
  return { acked: [...explicitAcks].sort(), retried: retryMessages.map(({ msgId }) => msgId) };
}

test("a queue of any name may carry messages of every kind", async () => {
  const path = "a.md";
  const workspace = openWorkspace({ agentId: "queued" });
  for (const content of ["one", "two"]) await workspace.write(path, content, { kind: "any" });
  const bodies = [
    { kind: "index-memory", agentId: "main" },
    { kind: "prune-versions", agentId: "queued", path },
  ];
  const indexed = () =>
    env.MEMORY.prepare("SELECT compared_at FROM meta WHERE agent_id = 'main'").first<number | null>("compared_at");
  // A message that an earlier file has sent may arrive late.
  await env.MEMORY.prepare("UPDATE meta SET compared_at = NULL").run();
  expect(await deliver("queue-4711", bodies)).toEqual({ acked: ["m0", "m1"], retried: [] });
  expect(await indexed()).not.toBeNull();
  expect(await env.FILES.head("versions/queued/.swept")).not.toBeNull();
});

test("messages of unknown kind are retried, and kept where they can be seen once they are dead letters", async () => {
  const bodies = ["text", null, {}, { kind: "other" }];
  expect(await deliver("isopod-memory", bodies)).toEqual({ acked: [], retried: ["m0", "m1", "m2", "m3"] });
  expect(await deliver("isopod-dead", bodies)).toEqual({ acked: ["m0", "m1", "m2", "m3"], retried: [] });
  // The same dead letter may come twice.
  await deliver("isopod-dead", bodies);
  const { results } = await env.DB.prepare("SELECT id, body FROM dead_letters ORDER BY id").all();
  expect(results).toMatchObject([{ body: '"text"' }, { body: "null" }, { body: "{}" }, { body: '{"kind":"other"}' }]);
});

const tomls = import.meta.glob<string>("../../wrangler.toml", { query: "?raw", import: "default", eager: true });

test("the queues have the names that the code knows them by", () => {
  const names = [
    ...Object.values(tomls)
      .join()
      .matchAll(/^queue = "(.+)"$/gm),
  ].map(([, name]) => name);
  expect(new Set(names)).toEqual(new Set(Object.values(QUEUES)));
});
