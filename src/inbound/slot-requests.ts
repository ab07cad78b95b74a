import { isOwnerPeer } from "../channels/access.ts";
import type { Target } from "../channels/channel.ts";
import { type Agent, type Heartbeat, heartbeatOf, resolveAlias } from "../config/agents.ts";
import { routedAgentId, routedSessionKey } from "../config/bindings.ts";
import { mainSessionKey, parseSessionKey } from "../config/session-key.ts";
import type { StoredRoute } from "../db/schema.ts";
import { parseDuration } from "../lib/duration.ts";
import { IsopodError } from "../lib/errors.ts";
import { weekdayTime } from "../lib/zone.ts";
import {
  type ChosenRoute,
  chooseRoute,
  heartbeatVisibility,
  type Route,
  type TargetChoice,
  type VisibilityConfig,
} from "../schedule/heartbeat-target.ts";
import type { Job } from "../schedule/job.ts";
import type { WakeText } from "../schedule/schedule-store.ts";
import { type ScheduleEntry, type Slot, slotKey } from "../schedule/slots.ts";
import { joinLabels, type Label } from "../security/labels.ts";
import { conversationPlace } from "../services/conversation-place.ts";
import type { Config, Services } from "../services/services.ts";
import type { RunOrigin } from "../session-store/run-input.ts";
import type { AcceptRequest } from "../session-store/run-request.ts";

/** What is known of where an agent's people are. */
export interface PeopleRoutes {
  /** Where a person wrote to the agent last. */
  last: StoredRoute | undefined;
  /** Owners as `channel:id`: those of the configuration, then those who were paired. */
  owners: readonly string[];
}

/** A request to a session, and what the status says beside it. */
export interface SlotRequest {
  request: Omit<AcceptRequest, "runId">;
  /** Why no conversation gets what it says; absent if one does. */
  reason?: string;
}

type Known = Pick<Services, "config" | "channel">;

/** The conversation that a choice of a target means; null where there is none, with the reason. */
export function targetOf(
  choice: TargetChoice & { threadId?: string | undefined },
  people: PeopleRoutes,
  services: Known,
): { target: Target | null; reason?: string } {
  const { channels } = services.config;
  const ready = Object.keys(channels).filter((id) => Object.keys(channels[id]?.accounts ?? {}).length > 0);
  const chosen = chooseRoute(choice, {
    last: people.last && asRoute(people.last),
    owners: people.owners,
    channels: ready,
    kindOf: (channel, id) => placeOf(channel, id, services)?.kind,
    hasOwnIds: (channel) =>
      services.channel(channel, firstAccount(channel, services.config)).channel.hasOwnIds === true,
    isPerson: (channel, id) => placeOf(channel, `user:${id}`, services)?.kind === "direct",
  });
  if (isNowhere(chosen)) return { target: null, ...nowhereReason(chosen.reason, choice.target) };
  const { channel, to, accountId = firstAccount(channel, services.config), kind = "direct" } = chosen;
  const { threadId = chosen.threadId } = choice;
  const { peerId, parentId, spaceId } = chosen;
  const target = {
    ...{ channel, accountId, kind, conversationId: placeOf(channel, to, services)?.id ?? to },
    ...(threadId !== undefined && { threadId }),
    ...(peerId !== undefined && { peerId }),
    ...(parentId !== undefined && { parentId }),
    ...(spaceId !== undefined && { spaceId }),
  };
  return { target };
}

/** Why no conversation was found, in words for the status. Nothing where none is wanted. */
function nowhereReason(reason: "target-none" | "no-route" | "no-target", target?: string): { reason?: string } {
  if (target === "none") return {};
  switch (reason) {
    case "target-none":
      return { reason: `channel '${target}' has no account, so what it says goes nowhere` };
    case "no-route":
      return {
        reason:
          target === "last"
            ? "nobody has written to the agent yet, so what it says goes nowhere"
            : "no owner is known on any channel, so what it says goes nowhere",
      };
    case "no-target":
      return { reason: `no conversation on ${target} is named (to), so what it says goes nowhere` };
  }
}

function isNowhere(chosen: ChosenRoute): chosen is Extract<ChosenRoute, { channel: "none" }> {
  return chosen.channel === "none";
}

function asRoute({ conversationId: to, ...rest }: StoredRoute): Route {
  const { channel, accountId, kind, threadId, peerId, parentId, spaceId } = rest;
  return { channel, accountId, kind, to, threadId, peerId, parentId, spaceId };
}

/** The conversation of an address; undefined if its channel cannot tell. */
function placeOf(channelId: string, id: string, { config, channel }: Known) {
  try {
    return channel(channelId, firstAccount(channelId, config)).channel.conversationOf?.(id);
  } catch (error) {
    if (error instanceof IsopodError) return undefined;
    throw error;
  }
}

function firstAccount(channel: string, { channels }: Pick<Config, "channels">): string {
  const accounts = Object.keys(channels[channel]?.accounts ?? {});
  return accounts.includes("default") ? "default" : (accounts[0] ?? "default");
}

/** The session that owns a conversation, if it is another one than the run's. */
export function ownerKeyOf(
  target: Target | null,
  sessionKey: string,
  services: Known,
  owners: readonly string[],
): { ownerKey?: string } {
  if (target === null || parseSessionKey(sessionKey).kind === "subagent") return {};
  const { config } = services;
  const place = conversationPlace(target, services);
  const owner = place.kind === "direct" && isOwnerPeer(owners, place);
  const key = routedSessionKey(config, routedAgentId(config, place), { ...place, owner });
  return key === sessionKey ? {} : { ownerKey: key };
}

/**
 * The request of a slot of an agent's heartbeat.
 * @param texts what it brings along besides its prompt
 */
export function heartbeatRequest(
  { entry, slot, agent, texts }: { entry: ScheduleEntry; slot: Slot; agent: Agent; texts: readonly WakeText[] },
  block: Heartbeat,
  people: PeopleRoutes,
  services: Known,
): SlotRequest {
  const sessionKey = block.isolatedSession ? `agent:${agent.id}:cron:heartbeat` : sessionOf(block.session, agent.id);
  const { target: found, reason } = targetOf(block, people, services);
  const seen = heartbeatVisibility(
    services.config.channels as VisibilityConfig,
    found?.channel ?? "webchat",
    found?.accountId,
  );
  const target = seen.showAlerts ? found : null;
  const origin: RunOrigin = {
    kind: "heartbeat",
    slot,
    failures: entry.failures,
    ackMaxChars: block.ackMaxChars,
    ...(texts.length > 0 && { hasTexts: true as const }),
    ...(seen.showOk && { showOk: true as const }),
    ...(block.includeReasoning && { withReasoning: true as const }),
    ...(block.lightContext && { isLight: true as const }),
    ...(block.isolatedSession && { isFresh: true as const }),
    ...ownerKeyOf(target, sessionKey, services, people.owners),
  };
  const labels = joinLabels(...texts.map((text) => text.labels));
  const zone = agent.defaults.userTimezone ?? "UTC";
  const words = [`[Heartbeat, ${weekdayTime(slot.dueAt, zone)}]`, ...texts.map(({ text }) => text), block.prompt].join(
    "\n\n",
  );
  const hidden = found !== null && !seen.showAlerts ? "alerts are switched off there" : reason;
  return {
    request: slotRequest(
      { slot, sessionKey, agent, text: words, origin, target, labels, model: block.model },
      services,
    ),
    ...(hidden !== undefined && { reason: hidden }),
  };
}

/** The request of a slot of a job. */
export function jobRequest(
  { entry, slot, agent, job }: { entry: ScheduleEntry; slot: Slot; agent: Agent; job: Job },
  people: PeopleRoutes,
  services: Known,
): SlotRequest {
  const isolated = job.sessionTarget === "isolated";
  const named = job.sessionTarget.startsWith("session:") ? job.sessionTarget.slice("session:".length) : "main";
  const id = entry.id.slice("job:".length);
  const sessionKey = isolated ? `agent:${agent.id}:cron:${id}` : `agent:${agent.id}:${named}`;
  const { target, reason } = jobTarget(job, people, services);
  const { payload, schedule } = job;
  const origin: RunOrigin = {
    kind: "job",
    name: job.name,
    slot,
    failures: entry.failures,
    ...(schedule.kind === "at" && { isOnce: true as const }),
    ...(schedule.kind === "at" && job.deleteAfterRun && { isLast: true as const }),
    ...(isolated && { isFresh: true as const }),
    ...(payload.kind === "agentTurn" && payload.lightContext && { isLight: true as const }),
    ...(job.delivery.mode === "webhook" && job.delivery.to !== undefined && { webhook: job.delivery.to }),
    ...ownerKeyOf(target, sessionKey, services, people.owners),
  };
  const zone = agent.defaults.userTimezone ?? "UTC";
  const isRead = target !== null || job.delivery.mode === "webhook";
  const text = jobText(job, weekdayTime(slot.dueAt, zone), isRead);
  const own = payload.kind === "agentTurn" ? payload : {};
  const lingerMs = isolated ? parseDuration(services.config.cron.sessionRetention) : undefined;
  const request = slotRequest({ slot, sessionKey, agent, text, origin, target, ...own }, services);
  return {
    request: { ...request, ...(lingerMs && { lingerMs }) },
    ...(reason !== undefined && { reason }),
  };
}

function jobTarget(
  { delivery }: Job,
  people: PeopleRoutes,
  services: Known,
): { target: Target | null; reason?: string } {
  const { mode, channel, to, accountId, threadId, peerId } = delivery;
  if (mode === "none" || mode === "webhook") return { target: null };
  const wanted = channel === undefined || channel === "last" ? (people.last === undefined ? "owner" : "last") : channel;
  return targetOf({ target: wanted, to, accountId, threadId, peerId }, people, services);
}

/** What the agent reads: an event is passed on, a task is carried out. */
function jobText({ name, payload }: Job, time: string, isDelivered: boolean): string {
  const title = name.replace(/[\r\n"]+/g, " ");
  if (payload.kind === "agentTurn") {
    const where = isDelivered ? "" : " Nobody reads the reply unless you send it.";
    return `[Job "${title}", ${time}]${where}\n\n${payload.message}`;
  }
  return `[Reminder "${title}", due ${time}]\nThis was set earlier for now. Pass it on in a sentence, in the language it was asked for in; if it asks you to do something, do that first.\n\n${payload.text}`;
}

interface RequestParts {
  slot: Slot;
  sessionKey: string;
  agent: Agent;
  text: string;
  origin: RunOrigin;
  target: Target | null;
  labels?: readonly Label[];
  model?: string | undefined;
  thinking?: AcceptRequest["input"]["thinking"];
  timeoutSeconds?: number | undefined;
}

function slotRequest(parts: RequestParts, { config }: Known): SlotRequest["request"] {
  const { slot, sessionKey, agent, text, origin, target, labels = [], model, thinking, timeoutSeconds } = parts;
  return {
    sessionKey,
    agentId: agent.id,
    idempotencyKey: slotKey(slot),
    ...(target && { target }),
    input: {
      text,
      sender: { id: "system", name: "System", owner: true },
      ...(labels.length > 0 && { labels }),
      ...(model !== undefined && { model: resolveAlias(config, model) }),
      ...(thinking && { thinking }),
      timeoutSeconds: timeoutSeconds ?? agent.defaults.timeoutSeconds,
      origin,
    },
  };
}

/** The session that a heartbeat runs in: `main`, a name, or a key of the same agent. */
function sessionOf(named: string, agentId: string): string {
  const key = named.startsWith("agent:") ? named : `agent:${agentId}:${named}`;
  try {
    const parsed = parseSessionKey(key);
    return parsed.agentId === agentId ? key : mainSessionKey(agentId);
  } catch (error) {
    if (error instanceof IsopodError) return mainSessionKey(agentId);
    throw error;
  }
}

/** The heartbeat of an agent that is not switched off; undefined if it has none. */
export function activeHeartbeat(config: Config, agentId: string, { isOff }: ScheduleEntry): Heartbeat | undefined {
  return isOff ? undefined : heartbeatOf(config, agentId);
}
