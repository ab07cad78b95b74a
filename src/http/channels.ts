import { Hono } from "hono";
import { type AccessDecision, decideAccess, hingesOnActivation } from "../channels/access.ts";
import { findActivation } from "../channels/activation.ts";
import type { InboundMessage } from "../channels/channel.ts";
import { findPaired, forgetRequest, type Peer, requestPairing } from "../channels/pairing.ts";
import { isAddressedIn } from "../config/group-chat.ts";
import { newRunId, objectNameOf } from "../config/session-ids.ts";
import { acknowledge } from "../inbound/acknowledge.ts";
import { answeringAgent, conversationKey, requestOf } from "../inbound/inbound.ts";
import { within } from "../lib/deadline.ts";
import { IsopodError } from "../lib/errors.ts";
import { base32, newId } from "../lib/ids.ts";
import { log } from "../lib/log.ts";
import { head } from "../lib/text.ts";
import type { OpenChannel, Services } from "../services/services.ts";
import { callSession } from "../session/api.ts";
import type { AppEnv } from "./context.ts";

const PAIRING_CODE_BYTES = 5;
const SEND_TIMEOUT_MS = 20_000;

/** `/channels/:channel/:account/webhook`: where platforms call. Answers 200 only once the message is stored. */
export const channelRoutes = new Hono<AppEnv>();

channelRoutes.all("/channels/:channel/:account/webhook", async (c) => {
  const services = c.get("services");
  const { channel: channelId, account: accountId } = c.req.param();
  const open = openFor(services, channelId, accountId);
  const received = await open.channel.receive(c.req.raw, open.context);
  if (received.kind === "refused") return received.response;
  if (received.kind === "ignored") return done(received.reason);
  const { message, answer = { ok: true } } = received;
  const decision = await decide(c.env.DB, services, open, message);
  if (decision.kind === "ignore") return done(decision.reason);
  if (decision.kind === "pair") {
    c.executionCtx.waitUntil(offerPairing(c.env.DB, open, message));
    return done("the sender is not paired");
  }
  await hand(c.env, services, open, message, decision.owner);
  c.executionCtx.waitUntil(acknowledge(message, open, services.config.messages));
  return c.json(answer);

  function done(reason: string): Response {
    log("info", "channel.ignored", { channel: channelId, accountId, reason });
    return c.json({ ok: true, ignored: reason });
  }
});

/**
 * The channel and account of a webhook's address. Anybody may call here, so whatever is wrong with an address is
 * answered in the same way; the log says what it is.
 * @throws IsopodError `not_found`
 */
function openFor(services: Services, channelId: string, accountId: string): OpenChannel {
  try {
    return services.channel(channelId, accountId);
  } catch (error) {
    if (!(error instanceof IsopodError) || error.code !== "not_found") throw error;
    log("info", "channel.unknown", { channel: head(channelId, 80), accountId: head(accountId, 80), hint: error.hint });
    throw new IsopodError("not_found", "There is no such webhook.", "The Worker's log says what is wrong.");
  }
}

/** Whether the sender may talk to the agent. D1 is asked only where it matters: for strangers, and of groups. */
async function decide(
  database: D1Database,
  services: Services,
  { channel, context }: OpenChannel,
  received: InboundMessage,
): Promise<AccessDecision> {
  const { ownerAllowFrom } = services.config.commands;
  const { id } = answeringAgent({ channelId: channel.id, accountId: context.accountId, message: received }, services);
  const mentioned = received.mentioned || isAddressedIn(received.text, services.config, id);
  const message = { ...received, mentioned };
  const question = {
    channelId: channel.id,
    policy: channel.access(context.account),
    message,
    pairedIds: new Set<string>(),
    owners: ownerAllowFrom,
  };
  const first = decideAccess(question);
  if (hingesOnActivation(question, first)) {
    const key = conversationKey(
      { channelId: channel.id, accountId: context.accountId, message, owner: false },
      services,
    );
    return decideAccess({ ...question, activation: await findActivation(database, key, Date.now()) });
  }
  if (first.kind !== "pair") return first;
  const paired = await findPaired(database, peerOf(channel.id, context.accountId, message));
  if (paired === undefined) return first;
  const owners = paired.owner ? [...ownerAllowFrom, `${channel.id}:${paired.id}`] : ownerAllowFrom;
  return decideAccess({ ...question, pairedIds: new Set([paired.id]), owners });
}

/** Stores the message in its session. */
async function hand(
  env: Env,
  services: Services,
  { channel, context }: OpenChannel,
  message: InboundMessage,
  owner: boolean,
): Promise<void> {
  const arrival = { channelId: channel.id, accountId: context.accountId, message, owner };
  const agent = answeringAgent(arrival, services);
  const request = await requestOf(arrival, agent, services.config, services.workspaceOf(agent));
  const objectName = await objectNameOf(request.sessionKey);
  const accepted = { ...request, runId: newRunId(objectName, Date.now()), configRevision: services.revision };
  await callSession(env.SESSIONS, objectName, (session) => session.accept(accepted));
}

/** Tells a stranger, once, how to be let in. */
async function offerPairing(database: D1Database, { channel, context }: OpenChannel, message: InboundMessage) {
  const peer = peerOf(channel.id, context.accountId, message);
  const code = base32(crypto.getRandomValues(new Uint8Array(PAIRING_CODE_BYTES))).toUpperCase();
  const now = Date.now();
  const { name } = message.sender;
  if (!(await requestPairing(database, { ...peer, code, now, ...(name !== undefined && { senderName: name }) })))
    return;
  const text = `This agent does not know you yet. Ask its owner to approve this code: **${code}**`;
  const { kind, id: conversationId } = message.conversation;
  const target = { channel: channel.id, accountId: context.accountId, kind, conversationId };
  for (const part of channel.format(text)) {
    const outbound = { target, text: part, deliveryId: newId("dlv", now) };
    const delivery = await within(SEND_TIMEOUT_MS, (signal) => channel.send(outbound, context, signal));
    log("info", "pairing.offered", { channel: channel.id, outcome: delivery.outcome });
    // Nobody was told this code: the next message gets another one.
    if (delivery.outcome === "retry" || delivery.outcome === "failed") await forgetRequest(database, peer);
  }
}

function peerOf(channelId: string, accountId: string, message: InboundMessage): Peer {
  return { channelId, accountId, senderId: message.sender.id };
}
