import { DurableObject } from "cloudflare:workers";

interface Env {
  FLOORS: DurableObjectNamespace<Floor>;
  /** Where the model answers. */
  MODEL_URL: string;
}

const RECOVERY_MS = 60_000;

/** One session that does nothing but pass the model's stream on; under `/durable` it also keeps what a turn must. */
export class Floor extends DurableObject<Env> {
  readonly #sql: SqlStorage;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sql = ctx.storage.sql;
    this.#sql.exec("CREATE TABLE IF NOT EXISTS entries (id INTEGER PRIMARY KEY, body TEXT NOT NULL)");
  }

  override async fetch(request: Request): Promise<Response> {
    const body = await request.text();
    const { pathname } = new URL(request.url);
    if (pathname === "/accept") {
      // A webhook: answered once it is stored, and worked on afterwards.
      this.#accept(body);
      this.ctx.waitUntil(this.#ask(body));
      return new Response("{}");
    }
    const durable = pathname === "/durable";
    if (durable) this.#accept(body);
    // The platform holds this request back until what was written above is on disk.
    const answer = await fetch(this.env.MODEL_URL, { method: "POST", body });
    if (!durable || answer.body === null) return answer;
    return new Response(answer.body.pipeThrough(new TransformStream({ flush: () => this.#finish() })));
  }

  async #ask(body: string): Promise<void> {
    const answer = await fetch(this.env.MODEL_URL, { method: "POST", body });
    await answer.text();
    await this.#finish();
  }

  override alarm(): void {
    // The recovery of a session would begin here; the floor has nothing to recover.
  }

  #accept(body: string): void {
    this.#sql.exec("INSERT INTO entries (body) VALUES (?)", body);
    void this.ctx.storage.setAlarm(Date.now() + RECOVERY_MS);
  }

  /** The caller sees the end of the stream when the last row is on disk. */
  #finish(): Promise<void> {
    this.#sql.exec("INSERT INTO entries (body) VALUES (?)", "done");
    return this.ctx.storage.sync();
  }
}

export default {
  fetch(request, env) {
    const session = new URL(request.url).searchParams.get("session") ?? "main";
    return env.FLOORS.getByName(session).fetch(request);
  },
} satisfies ExportedHandler<Env>;
