import { consumeIndexing } from "./events/indexing.ts";
import { tick } from "./events/scheduled.ts";
import { consumeUpkeep } from "./events/upkeep.ts";
import { createApp } from "./http/app.ts";

export { Budget } from "./session/budget.ts";
export { Lane } from "./session/lane.ts";
export { Session } from "./session/session.ts";

const app = createApp();

export default {
  fetch: app.fetch,
  // The queues may be called otherwise in a deployment of one's own, as long as the one for memory says so.
  queue: (batch, env, ctx) =>
    batch.queue.includes("memory") ? consumeIndexing(batch, env, ctx) : consumeUpkeep(batch, env),
  scheduled: ({ scheduledTime }, env) => tick(env, scheduledTime, Date.now()),
} satisfies ExportedHandler<Env>;
