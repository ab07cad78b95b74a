import type { InboundMessage } from "../channels/channel.ts";
import { newRunId } from "../config/session-ids.ts";
import { locationOf } from "../config/session-location.ts";
import { addressOf } from "../services/call-session.ts";
import type { OpenChannel, Services } from "../services/services.ts";
import type { SessionEnv } from "../services/session-places.ts";
import { callSession } from "../session/api.ts";
import { decideSenderAccess, offerPairing } from "./access.ts";
import { acknowledge } from "./acknowledge.ts";
import { answeringAgent, sessionRequest } from "./session-request.ts";

/** Dependencies of the pipeline, provided by a webhook route, a gateway object, an email handler or a poller. */
export interface InboundDeps {
  services: Pick<Services, "config" | "revision" | "workspaceOf">;
  database: D1Database;
  /** The sessions' objects. */
  env: SessionEnv;
  /** Keeps work alive that continues after the response. */
  waitUntil(work: Promise<unknown>): void;
}

export type InboundOutcome = { kind: "accepted" } | { kind: "ignored"; reason: string };

/**
 * The pipeline for every inbound message: access, pairing, agent, attachments, session. A session has stored the
 * message when this returns `accepted`; the same message again is the same run.
 * @throws IsopodError what the session refuses, or `unavailable`
 */
export async function receiveMessage(
  message: InboundMessage,
  open: OpenChannel,
  { services, database, env, waitUntil }: InboundDeps,
): Promise<InboundOutcome> {
  const { config, revision: configRevision, workspaceOf } = services;
  const source = { channelId: open.channel.id, accountId: open.context.accountId, message };
  const agent = answeringAgent(source, config);
  const decision = await decideSenderAccess(source, open, { agent, config, database, waitUntil });
  if (decision.kind === "ignore") return { kind: "ignored", reason: decision.reason };
  if (decision.kind === "pair") {
    waitUntil(offerPairing(source, open, database));
    return { kind: "ignored", reason: "the sender is not paired" };
  }
  const request = await sessionRequest({ ...source, owner: decision.owner }, agent, config, workspaceOf(agent));
  const address = await addressOf(env, request.sessionKey, locationOf(config, request.sessionKey));
  const accept = { ...request, runId: newRunId(address.name, Date.now()), configRevision };
  await callSession(env, address, (session) => session.accept(accept));
  waitUntil(acknowledge(message, open, config.messages));
  return { kind: "accepted" };
}
