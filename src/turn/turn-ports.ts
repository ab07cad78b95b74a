import type { OutboxPort } from "../tools/message.ts";
import type { StatusPort } from "../tools/session-status.ts";
import type { SessionsPort } from "../tools/sessions-port.ts";
import { sessionReach } from "./lineage.ts";
import { hasWayOut } from "./output/outbox-port.ts";
import type { TurnContext } from "./turn-context.ts";

/** The ports of a turn's tools besides the workspace. If a port is absent, its tools are absent, too. */
export interface TurnPorts {
  sessions: SessionsPort | undefined;
  outbox: OutboxPort | undefined;
  status: StatusPort;
}

/** The implementations of a live turn's ports. */
export interface LivePorts {
  sessions: Omit<SessionsPort, "maySpawn">;
  outbox: OutboxPort;
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
    status: live.status,
  };
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
    status: { sessionKey: session.key, card: refuse, setModel: refuse },
  };
}

function refuse(): never {
  throw new Error("A preview runs no tools.");
}
