import {
  createExecutionContext,
  createMessageBatch,
  env,
  getQueueResult,
  waitOnExecutionContext,
} from "cloudflare:test";
import type { RunSlots } from "../../src/events/due-slots.ts";
import { consumeQueue } from "../../src/events/queue.ts";
import { tick } from "../../src/events/scheduled.ts";
import { knowConfiguration } from "../../src/services/current-config.ts";
import { call, waitFor } from "../flow/client.ts";

/** A message as the queue holds it. */
interface Queued {
  body: RunSlots;
  attempts: number;
}

/** The agents that tests have, and these besides; those of an earlier call are gone, with all that they had planned. */
export async function withAgents(...agents: object[]): Promise<void> {
  await env.DB.exec("DELETE FROM schedule_entries");
  await env.DB.exec("DELETE FROM schedule_state");
  await patchConfig({ agents: { list: [...JSON.parse(env.ISOPOD_CONFIG ?? "{}").agents.list, ...agents] } });
}

/** Changes the stored configuration by a merge patch. */
export async function patchConfig(change: object): Promise<void> {
  const answer = await call("PATCH", "/v1/config", change, { "If-Match": "*" });
  if (answer.status !== 200) throw new Error(await answer.text());
  await knowConfiguration(env, Date.now(), { usableMs: 0, atLeast: (await answer.json<any>()).revision });
}

/** The Worker with a clock and a queue that a test drives by hand. */
export class Clock {
  readonly env: Env;
  /** What waits in the queue. */
  readonly queue: Queued[] = [];
  #messages = 0;

  constructor() {
    const send = async (body: RunSlots) => void this.queue.push({ body, attempts: 1 });
    const sendBatch = async (messages: Iterable<{ body: RunSlots }>) => {
      for (const { body } of messages) await send(body);
    };
    this.env = { ...env, SCHEDULE: { send, sendBatch } as unknown as Queue };
  }

  /** Lets the clock tick at a time, and delivers all that it sends, also what has to wait for its turn. */
  async tickAt(at: number): Promise<void> {
    await tick(this.env, at, Date.now());
    for (let tries = 0; tries < 100 && this.queue.length > 0; tries++) {
      if (tries > 0) await new Promise((resolve) => setTimeout(resolve, 100));
      await this.deliver();
    }
  }

  /** Delivers what is in the queue; what is retried comes back once. */
  async deliver(): Promise<void> {
    const messages = this.queue.splice(0);
    for (const { body, attempts } of messages) {
      const id = `m${this.#messages++}`;
      const batch = createMessageBatch("isopod-schedule", [{ id, timestamp: new Date(), attempts, body }]);
      const context = createExecutionContext();
      await consumeQueue(batch, this.env, context);
      await waitOnExecutionContext(context);
      const { retryMessages } = await getQueueResult(batch, context);
      if (retryMessages.length > 0) this.queue.push({ body, attempts: attempts + 1 });
    }
  }

  /** The row of the schedule. */
  async row(id: string): Promise<any> {
    return env.DB.prepare("SELECT * FROM schedule_entries WHERE id = ?").bind(id).first();
  }

  /** Lets the clock tick at the next due time of a row; gives that time. */
  async tickNext(id: string): Promise<number> {
    const { due_at: dueAt } = await this.row(id);
    await this.tickAt(dueAt);
    return dueAt;
  }
}

/** The run that the last slot of a row was given to. */
export async function runOf(clock: Clock, id: string): Promise<string> {
  let runId: string | null = null;
  await waitFor(async () => {
    runId = (await clock.row(id))?.last_run_id ?? null;
    return runId !== null;
  });
  return runId!;
}
