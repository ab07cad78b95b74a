import { consumeUpkeep } from "./events/upkeep.ts";
import { createApp } from "./http/app.ts";

export { Budget } from "./session/budget.ts";
export { Lane } from "./session/lane.ts";
export { Session } from "./session/session.ts";

const app = createApp();

export default {
  fetch: app.fetch,
  queue: (batch, env) => consumeUpkeep(batch, env),
} satisfies ExportedHandler<Env>;
