import { z } from "zod";
import { defineTool, type Tool } from "../agent/tool.ts";
import { SESSION_KINDS, type SessionsPort } from "./sessions-port.ts";

const MAX_SESSIONS = 100;
const MAX_MESSAGES = 20;

const parameters = z.strictObject({
  kinds: z.array(z.enum(SESSION_KINDS)).optional().describe("Only sessions of these kinds"),
  limit: z.number().int().min(1).max(MAX_SESSIONS).default(20).describe("Most sessions"),
  activeMinutes: z.number().min(1).optional().describe("Only those in which something happened so recently"),
  messageLimit: z.number().int().min(0).max(MAX_MESSAGES).default(0).describe("How many of each one's last messages"),
});

/** Lists sessions. */
export function sessionsListTool(sessions: Pick<SessionsPort, "list">): Tool<z.infer<typeof parameters>> {
  return defineTool({
    name: "sessions_list",
    summary: "List the sessions that you may look at",
    description:
      "Lists sessions that you may look at, the latest first: this one and the sub-agents below it, and more where the " +
      "configuration says so. Times are milliseconds since the epoch.",
    parameters,
    replay: "safe",
    sequential: false,
    run: async (query) => ({ text: JSON.stringify({ sessions: await sessions.list(query) }) }),
  });
}
