import type { Model, ModelReply, ModelRequest } from "../models/model.ts";

/** What model calls may still spend. */
export interface CallBudget {
  /**
   * Sets aside what a call is likely to spend, so that calls at the same time do not spend it, too.
   * @returns what the call's reply is to be told to, once it is there: then what it really spent counts instead
   * @throws MustEnd `budget` where a cap leaves no room, or IsopodError `not_configured` where money is capped and the
   * model has no price; the call is not to be made then, nor another in its place
   */
  reserve(model: Model, request: ModelRequest): Promise<(reply: ModelReply) => void>;
}
