import { z } from "zod";
import { type AnyTool, defineTool, type ToolCall } from "../../src/agent/tool.ts";
import worker, { Session as IsopodSession } from "../../src/index.ts";
import { takeAway, withOutages } from "./outage.ts";

export { Budget, Lane } from "../../src/index.ts";

/**
 * Isopod's session, whose D1 may be away, with three tools that call the counter outside: one that may be run again, one that may not, and one
 * that a person has to allow.
 */
export class Session extends IsopodSession {
  constructor(context: DurableObjectState, env: Env) {
    super(context, withOutages(env));
  }

  protected override readonly extraTools: readonly AnyTool[] = [
    countingTool(counterOf(this.env), "count_safe", "safe"),
    countingTool(counterOf(this.env), "count_unsafe", "unsafe"),
    { ...countingTool(counterOf(this.env), "count_asked", "unsafe"), approval: () => "Count this?" },
  ];
}

function countingTool(counterUrl: string, name: string, replay: "safe" | "unsafe"): AnyTool {
  return defineTool({
    name,
    summary: "Count one call",
    description: "Counts one call at the counter outside and says what it answered.",
    parameters: z.object({ holdMs: z.number().int().min(0).describe("How long the counter takes, in milliseconds.") }),
    replay,
    sequential: false,
    async run({ holdMs }, { callId, signal }: ToolCall) {
      const url = `${counterUrl}/${name}/${encodeURIComponent(callId)}?holdMs=${holdMs}`;
      const response = await fetch(url, { method: "POST", signal });
      if (!response.ok) throw new Error(`The counter answered ${response.status}.`);
      return { text: await response.text() };
    },
  });
}

function counterOf(env: Env): string {
  const url: unknown = Reflect.get(env, "TORTURE_COUNTER");
  if (typeof url !== "string") throw new Error("TORTURE_COUNTER is not set.");
  return url;
}

/** Isopod's handlers, with a D1 that may be away, and a clock and an outage that a request sets off. */
export default {
  async fetch(request: Request, env: Env, context: ExecutionContext) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/torture/outage") {
      takeAway(Number(searchParams.get("ms")));
      return Response.json({});
    }
    if (pathname === "/torture/tick") {
      const scheduledTime = Number(searchParams.get("time"));
      await worker.scheduled({ scheduledTime, cron: "* * * * *", noRetry() {} }, withOutages(env));
      return Response.json({});
    }
    return worker.fetch(request, withOutages(env), context);
  },
  queue: (batch, env, context) => worker.queue(batch, withOutages(env), context),
} satisfies ExportedHandler<Env>;
