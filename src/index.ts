import { consumeQueue } from "./events/queue.ts";
import { tick } from "./events/scheduled.ts";
import { createApp } from "./http/app.ts";

export { Budget } from "./session/budget.ts";
export { Lane } from "./session/lane.ts";
export { Session } from "./session/session.ts";

const app = createApp();

export default {
  fetch: app.fetch,
  queue: consumeQueue,
  scheduled: ({ scheduledTime }, env) => tick(env, scheduledTime, Date.now()),
} satisfies ExportedHandler<Env>;
