import { z } from "zod";
import { defineTool, type Tool } from "../agent/tool.ts";

/** The session that a turn belongs to, as its tools may look at it. */
export interface StatusPort {
  readonly sessionKey: string;
  /** What is to be told of it, with the date and the time, line by line. */
  card(): string[];
  /**
   * Lets another model answer from the next turn on; undefined goes back to the agent's own. Gives its reference. Twice
   * is the same as once.
   * @throws Error where the word names no model that can be asked
   */
  setModel(word: string | undefined): string;
}

interface StatusArgs {
  sessionKey?: string | undefined;
  model?: string | undefined;
}

const own = z.strictObject({
  sessionKey: z.string().optional().describe("This session, which is the only one that can be looked at"),
});

const parameters = own.extend({
  model: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe("Lets this model answer here from the next turn on: `provider/model`, an alias, or `default`"),
});

/**
 * Tells what a session is and does, and the time.
 * @param maySet whether it also sets the model, which only owners decide
 */
export function sessionStatusTool(session: StatusPort, maySet: boolean): Tool<StatusArgs> {
  const schema: z.ZodType<StatusArgs> = maySet ? parameters : own;
  return defineTool({
    name: "session_status",
    summary: maySet
      ? "Show the date and time, the model, usage and settings of this session, or set its model"
      : "Show the date and time, and which model answers",
    description: `Tells the current date and time, and how this session stands.${maySet ? " With `model` another model answers from the next turn on; `default` goes back to the usual one." : ""}`,
    parameters: schema,
    replay: "safe",
    sequential: false,
    async run({ sessionKey = session.sessionKey, model }) {
      if (sessionKey !== session.sessionKey && sessionKey !== "current") {
        throw new Error(`Only this session can be looked at: ${session.sessionKey}.`);
      }
      if (model === undefined) return { text: session.card().join("\n") };
      const set = session.setModel(model.toLowerCase() === "default" ? undefined : model);
      return { text: [`From the next turn on ${set} answers.`, ...session.card()].join("\n") };
    },
  });
}
