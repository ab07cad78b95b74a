import type { SessionsPort } from "../tools/sessions-port.ts";
import { findSession, type SessionCaller } from "./find-session.ts";
import { listedSubagents } from "./find-subagent.ts";
import { send } from "./send.ts";
import { readExcerpt } from "./session-excerpt.ts";
import { listReachable } from "./session-list.ts";
import { spawn, spawnableAgents, steer } from "./spawn.ts";

/** Most characters of another session's history. */
const HISTORY_CHARS = 48_000;

/** Other sessions, as the tools of a run reach them. */
export function sessionsPort(caller: SessionCaller): Omit<SessionsPort, "maySpawn"> {
  const { subagents, deps } = caller;
  return {
    zone: caller.agent.defaults.userTimezone ?? "UTC",
    spawn: (request, call) => spawn(request, call, caller),
    agents: () => spawnableAgents(caller),
    children: () => listedSubagents(deps.store),
    stopChildren: (which) => subagents.stopNamed(which),
    steerChild: (which, message, call) => steer(which, message, call, caller),
    list: (query) => listReachable(query, caller),
    async history({ sessionKey, limit, includeTools }) {
      const key = await findSession(sessionKey, caller);
      const excerpt = await readExcerpt(key, { limit, includeTools, chars: HISTORY_CHARS }, deps.call);
      if (excerpt === undefined) throw new Error(`There is no session '${key}'.`);
      return excerpt;
    },
    send: (request, call) => send(request, call, caller),
  };
}
