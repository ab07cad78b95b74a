import { createExecutionContext, createMessageBatch, env, getQueueResult } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import worker from "../../src/index.ts";

const asked = (agentId: string, more: object = {}) => ({ kind: "index-memory", agentId, ...more });

/** Sends these messages to the Worker as one batch of its queue. */
async function deliver(bodies: unknown[], bindings: Env = env) {
  const messages = bodies.map((body, i) => ({ id: `m${i}`, timestamp: new Date(), attempts: 1, body }));
  const batch = createMessageBatch("isopod-memory", messages);
  const context = createExecutionContext();
  await worker.queue(batch, bindings, context);
  const { explicitAcks, retryMessages } = await getQueueResult(batch, context);
  return { acked: [...explicitAcks].sort(), retried: retryMessages.map(({ msgId }) => msgId) };
}

describe("the consumer of index messages", () => {
  test("drops invalid messages, and those of unknown agents; what no consumer knows is retried", async () => {
    const strange = ["text", null, { kind: "prune-versions", agentId: "main" }, asked("../x"), asked("nobody")];
    expect(await deliver(strange)).toEqual({ acked: ["m2", "m3", "m4"], retried: ["m0", "m1"] });
  });

  test("accepts repeated messages", async () => {
    expect(await deliver([asked("main"), asked("main", { fruitless: 2 })])).toEqual({
      acked: ["m0", "m1"],
      retried: [],
    });
    expect(await deliver([asked("main")])).toEqual({ acked: ["m0"], retried: [] });
  });
});
