import { agentIn, type Services } from "../../services/services.ts";
import type { OutboxPort } from "../../tools/message.ts";
import { ReadEtags } from "../../tools/read-etags.ts";
import type { StatusPort } from "../../tools/session-status.ts";
import type { SessionsPort } from "../../tools/sessions-port.ts";
import { sessionReach } from "../lineage.ts";
import { hasWayOut } from "../output/outbox-port.ts";
import type { TurnContext } from "../turn-context.ts";
import type { ToolsDeps } from "../turn-deps.ts";

/**
 * What the tools of a turn would work on, for whoever wants to see which there would be: the same ones, by the same
 * rules. None of them is ever run, and one that is says so.
 */
export function previewPorts(turnContext: TurnContext, agentId: string, services: Services): Omit<ToolsDeps, "skills"> {
  const reach = sessionReach(turnContext, agentIn(services, agentId));
  const sessions: SessionsPort | undefined = reach && { ...reach, ...NO_SESSIONS };
  const outbox: OutboxPort | undefined = hasWayOut(turnContext, services)
    ? { send: neverRun, react: neverRun }
    : undefined;
  const status: StatusPort = { sessionKey: turnContext.session.key, card: neverRun, setModel: neverRun };
  return { services, readEtags: new ReadEtags(), sessions, status, outbox, extraTools: services.plugins.tools };
}

const NO_SESSIONS: Omit<SessionsPort, "maySpawn"> = {
  spawn: neverRun,
  agents: neverRun,
  children: neverRun,
  stopChildren: neverRun,
  steerChild: neverRun,
  list: neverRun,
  history: neverRun,
  send: neverRun,
};

function neverRun(): never {
  throw new Error("Nothing is run in a look at what a turn would get.");
}
