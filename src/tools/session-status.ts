import { z } from "zod";
import { defineTool, type Tool } from "../agent/tool.ts";

/** The turn's session, for its tools. */
export interface StatusPort {
  readonly sessionKey: string;
  /** The session's status with date and time, as lines. Rejects if D1 fails. */
  card(): Promise<string[]>;
  /**
   * Sets the model from the next turn on and returns its reference; undefined restores the agent's default. Idempotent.
   * @throws Error if the word names no usable model
   */
  setModel(word: string | undefined): string;
}

interface StatusArgs {
  sessionKey?: string | undefined;
  model?: string | undefined;
}

const own = z.strictObject({
  sessionKey: z.string().optional().describe("No other than this session's"),
});

const parameters = own.extend({
  model: z.string().min(1).max(200).optional().describe("`provider/model`, an alias, or `default`"),
});

/**
 * Shows the session's status and the time.
 * @param maySet whether it may also set the model, which only owners may
 */
export function sessionStatusTool(session: StatusPort, maySet: boolean): Tool<StatusArgs> {
  const schema: z.ZodType<StatusArgs> = maySet ? parameters : own;
  return defineTool({
    name: "session_status",
    summary: maySet
      ? "Show the date and time, the model, usage and settings of this session, or set its model"
      : "Show the date and time, and which model answers",
    description: `Shows the current date and time, and the status of this session.${maySet ? " With `model` another model answers from the next turn on; `default` goes back to the usual one." : ""}`,
    parameters: schema,
    replay: "safe",
    sequential: false,
    async run({ sessionKey = session.sessionKey, model }) {
      if (sessionKey !== session.sessionKey && sessionKey !== "current") {
        throw new Error(`Only this session can be looked at: ${session.sessionKey}.`);
      }
      if (model === undefined) return { text: (await session.card()).join("\n") };
      const set = session.setModel(model.toLowerCase() === "default" ? undefined : model);
      return { text: [`From the next turn on ${set} answers.`, ...(await session.card())].join("\n") };
    },
  });
}
