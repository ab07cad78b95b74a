import { DurableObject } from "cloudflare:workers";
export class Session extends DurableObject<Env> {
  async hi(): Promise<string> {
    this.ctx.storage.sql.exec("create table if not exists t(x)");
    return "hi";
  }
}
export default {
  async fetch(_req, env) {
    return new Response(await env.SESSIONS.getByName("x").hi());
  },
} satisfies ExportedHandler<Env>;
