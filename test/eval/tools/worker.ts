import worker, { Budget as IsopodBudget, Lane as IsopodLane, Session as IsopodSession } from "../../../src/index.ts";
import { setClock, shiftAlarms } from "./clock.ts";

/** Isopod at the time of the task that it does. */
export default {
  ...worker,
  async fetch(request: Request, env: Env, context: ExecutionContext) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== "/eval/clock") return worker.fetch(request, env, context);
    setClock(Number(searchParams.get("now")));
    return Response.json({});
  },
} satisfies ExportedHandler<Env>;

export class Session extends IsopodSession {
  constructor(context: DurableObjectState, env: Env) {
    shiftAlarms(context.storage);
    super(context, env);
  }
}

export class Lane extends IsopodLane {
  constructor(context: DurableObjectState, env: Env) {
    shiftAlarms(context.storage);
    super(context, env);
  }
}

export class Budget extends IsopodBudget {
  constructor(context: DurableObjectState, env: Env) {
    shiftAlarms(context.storage);
    super(context, env);
  }
}
