import { createTurnApp, isTurnPath } from "./http/turn-app.ts";
import { lazy } from "./lib/lazy.ts";

export { DiscordGateway } from "./events/discord-gateway.ts";
export { Budget } from "./session/budget.ts";
export { Lane } from "./session/lane.ts";
export { Session } from "./session/session.ts";

// What is not on the way of a message is evaluated where it is first asked for, not when an isolate starts.
const wholeApp = lazy(async () => (await import("./http/app.ts")).createApp());
const turnApp = createTurnApp(wholeApp);

export default {
  async fetch(request: Request, env: Env, context: ExecutionContext) {
    const app = isTurnPath(new URL(request.url).pathname) ? turnApp : await wholeApp();
    return app.fetch(request, env, context);
  },
  async queue(batch, env, context) {
    const { consumeQueue } = await import("./events/queue.ts");
    await consumeQueue(batch, env, context);
  },
  async email(message, env, context) {
    const { receiveMail } = await import("./events/email.ts");
    await receiveMail(message, env, context);
  },
  async scheduled({ scheduledTime }, env) {
    const { tick } = await import("./events/scheduled.ts");
    await tick(env, scheduledTime, Date.now());
  },
} satisfies ExportedHandler<Env>;
