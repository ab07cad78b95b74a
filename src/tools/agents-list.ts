import { z } from "zod";
import { defineTool, type Tool } from "../agent/tool.ts";
import type { SessionsPort } from "./sessions-port.ts";

const parameters = z.strictObject({});

/** Lists the agents that may be started as sub-agents. */
export function agentsListTool(sessions: Pick<SessionsPort, "agents">): Tool<z.infer<typeof parameters>> {
  return defineTool({
    name: "agents_list",
    summary: "List the agents that sessions_spawn may start",
    description: "Lists the ids that sessions_spawn takes as agentId. The first one is yourself.",
    parameters,
    replay: "safe",
    sequential: false,
    run: async () => ({ text: JSON.stringify({ agents: sessions.agents() }) }),
  });
}
