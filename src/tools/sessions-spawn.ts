import { z } from "zod";
import { defineTool, type Tool } from "../agent/tool.ts";
import type { SessionsPort } from "./sessions-port.ts";

const MAX_TASK_CHARS = 100_000;

const parameters = z.strictObject({
  task: z
    .string()
    .trim()
    .min(1, "say what is to be done")
    .max(MAX_TASK_CHARS)
    .describe("What is to be done, with all that it needs to know: it sees nothing of this conversation"),
  label: z.string().max(200).optional().describe("A short name for it"),
  agentId: z.string().optional().describe("The agent to do it, one of agents_list; yourself where absent"),
  model: z.string().optional().describe("`provider/model` for it, where the usual one is not right"),
  thinking: z.enum(["off", "minimal", "low", "medium", "high"]).optional().describe("How much it thinks"),
  runTimeoutSeconds: z.number().int().min(0).max(86_400).optional().describe("Longest time of its work; 0 is no limit"),
});

/** Starts a sub-agent. */
export function sessionsSpawnTool(sessions: Pick<SessionsPort, "spawn">): Tool<z.infer<typeof parameters>> {
  return defineTool({
    name: "sessions_spawn",
    summary: "Start a sub-agent that does a task in a session of its own",
    description:
      "Starts a sub-agent that works on a task in the background, in a session of its own, while you go on. Answers at " +
      "once. Its result is announced to you as a message when it is there: do not wait or ask for it.",
    parameters,
    replay: "safe",
    sequential: false,
    async run(request, call) {
      const { sessionKey, runId, hasBegun } = await sessions.spawn(request, call);
      const note = hasBegun
        ? "It is at work. Its result will be announced to you: do not poll. Go on, or end your turn."
        : "It could not be reached yet and starts as soon as it can. Its result will be announced to you: do not poll.";
      return { text: JSON.stringify({ status: "accepted", childSessionKey: sessionKey, runId, note }) };
    },
  });
}
