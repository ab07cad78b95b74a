import type { SessionsPort } from "../tools/sessions-port.ts";
import { type Caller, depthOf, maySpawn } from "./caller.ts";
import { childView, shownChildren } from "./child-view.ts";
import { childMeant, isAtWork } from "./children-meant.ts";
import { steer } from "./give.ts";
import { send } from "./send.ts";
import { readExcerpt } from "./session-excerpt.ts";
import { listReachable } from "./session-list.ts";
import { sessionMeant } from "./session-meant.ts";
import { spawn, spawnableAgents } from "./spawn.ts";

/** Most characters of messages that a look at another session gives. */
const HISTORY_CHARS = 48_000;

/**
 * Other sessions as the tools of a run reach them. Undefined where it reaches none: only owners do, and a sub-agent only
 * where it may have sub-agents itself.
 */
export function sessionsPort(caller: Caller): SessionsPort | undefined {
  const { run, agent, room } = caller;
  const mayHaveChildren = maySpawn(room.owner(), agent);
  if (!run.speaker.owner || (depthOf(room.owner()) > 0 && !mayHaveChildren)) return undefined;
  return {
    maySpawn: mayHaveChildren,
    spawn: (request, call) => spawn(request, call, caller),
    agents: () => spawnableAgents(caller),
    children: () => shownChildren(room.store),
    stopChildren: (which) => stopChildren(which, caller),
    steerChild: (which, message, call) => steer(which, message, call, caller),
    list: (query) => listReachable(query, caller),
    async history({ sessionKey, limit, includeTools }) {
      const key = await sessionMeant(sessionKey, caller);
      const excerpt = await readExcerpt(key, { limit, includeTools, chars: HISTORY_CHARS }, caller);
      if (excerpt === undefined) throw new Error(`There is no session '${key}'.`);
      return excerpt;
    },
    send: (request, call) => send(request, call, caller),
  };
}

function stopChildren(which: string, { family, room }: Caller) {
  const isAll = which.trim().toLowerCase() === "all";
  const meant = isAll ? undefined : childMeant(shownChildren(room.store), which);
  if (meant !== undefined && !isAtWork(meant)) throw new Error(`'${meant.label}' has ended already: ${meant.status}.`);
  const isMeant = ({ key }: { key: string }) => isAll || key === meant?.sessionKey;
  const stopped = room.fence.write(() => family.children.stop(isMeant));
  room.changed();
  return stopped.map(childView);
}
