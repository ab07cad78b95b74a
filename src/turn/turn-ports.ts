import type { BrowserPort } from "../tools/browser.ts";
import type { JobsPort } from "../tools/cron.ts";
import type { OutboxPort } from "../tools/message.ts";
import type { ProcessesPort } from "../tools/process.ts";
import type { StatusPort } from "../tools/session-status.ts";
import type { SessionsPort } from "../tools/sessions-port.ts";
import { sessionReach, spawnDepth } from "./lineage.ts";
import { hasWayOut } from "./output/outbox-port.ts";
import type { TurnContext } from "./turn-context.ts";

/** The ports of a turn's tools besides the workspace. If a port is absent, its tools are absent, too. */
export interface TurnPorts {
  sessions: SessionsPort | undefined;
  outbox: OutboxPort | undefined;
  jobs: JobsPort | undefined;
  processes: ProcessesPort | undefined;
  /** The session's browser; whether there is a binding for one is a matter of the services. */
  browser: BrowserPort["browser"] | undefined;
  status: StatusPort;
}

/** The implementations of a live turn's ports. */
export interface LivePorts {
  sessions: Omit<SessionsPort, "maySpawn">;
  outbox: OutboxPort;
  jobs: JobsPort;
  processes: ProcessesPort;
  browser: BrowserPort["browser"];
  status: StatusPort;
}

/**
 * The ports of a turn. The same rules apply to live turns and previews.
 * @param live undefined in a preview: its ports only list the tools and refuse every call
 */
export function turnPorts(context: TurnContext, live: LivePorts = readOnlyPorts(context)): TurnPorts {
  const reach = sessionReach(context);
  return {
    sessions: reach && { ...reach, ...live.sessions },
    outbox: hasWayOut(context) ? live.outbox : undefined,
    jobs: maySetJobs(context) ? live.jobs : undefined,
    processes: mayStay(context) ? live.processes : undefined,
    browser: live.browser,
    status: live.status,
  };
}

/** Whether a turn may set jobs: an owner's, where jobs run, and not in a sub-agent, whose session ends. */
function maySetJobs({ principal, services, session }: TurnContext): boolean {
  return principal.owner && services.config.cron.enabled && spawnDepth(session) === 0;
}

/** Whether the session stays for the end of a command: that of a sub-agent or of one question to the API does not. */
function mayStay({ session }: TurnContext): boolean {
  return spawnDepth(session) === 0 && session.settings.lingerMs === undefined;
}

function readOnlyPorts({ session }: TurnContext): LivePorts {
  return {
    sessions: {
      zone: "UTC",
      spawn: refuse,
      agents: refuse,
      children: refuse,
      stopChildren: refuse,
      steerChild: refuse,
      list: refuse,
      history: refuse,
      send: refuse,
    },
    outbox: { send: refuse, react: refuse },
    jobs: { list: refuse, add: refuse, update: refuse, remove: refuse, run: refuse, runs: refuse },
    processes: { list: refuse, log: refuse, kill: refuse, refusal: refuse, take: refuse },
    browser: { page: undefined, pageFor: refuse, during: refuse, close: refuse },
    status: { sessionKey: session.key, card: refuse, setModel: refuse },
  };
}

function refuse(): never {
  throw new Error("A preview runs no tools.");
}
