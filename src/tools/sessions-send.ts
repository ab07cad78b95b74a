import { z } from "zod";
import { defineTool, type Tool } from "../agent/tool.ts";
import type { SessionsPort } from "./sessions-port.ts";

const MAX_WAIT_SECONDS = 300;

const parameters = z.strictObject({
  sessionKey: z.string().optional().describe("The session's key"),
  label: z.string().optional().describe("A sub-agent's label, instead of a key"),
  message: z.string().trim().min(1, "say what to tell it").max(100_000),
  timeoutSeconds: z
    .number()
    .min(0)
    .max(MAX_WAIT_SECONDS)
    .default(30)
    .describe("How long to wait for the reply; 0 does not wait"),
});

/** Says something to another session's agent. */
export function sessionsSendTool(sessions: Pick<SessionsPort, "send">): Tool<z.infer<typeof parameters>> {
  return defineTool({
    name: "sessions_send",
    summary: "Say something to another session's agent",
    description:
      "Says something to the agent in another session and gives its reply. A wait that runs out stops nothing: the " +
      "message stays said, and the reply is in that session's history.",
    parameters,
    replay: "safe",
    sequential: false,
    async run({ sessionKey, label, message, timeoutSeconds }, call) {
      const to = sessionKey ?? label;
      if (to === undefined) throw new Error("Say to whom: sessionKey or label.");
      return { text: JSON.stringify(await sessions.send({ to, message, timeoutSeconds }, call)) };
    },
  });
}
