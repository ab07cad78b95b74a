import { createExecutionContext, createMessageBatch, env, getQueueResult } from "cloudflare:test";
import { expect, test } from "vitest";
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

test("messages of unknown kind are dropped", async () => {
  expect(await deliver("isopod-memory", ["text", null, {}, { kind: "other" }])).toEqual({
    acked: ["m0", "m1", "m2", "m3"],
    retried: [],
  });
});
