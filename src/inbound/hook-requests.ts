import { hookSessionKey } from "../config/session-key.ts";
import { parseDuration } from "../lib/duration.ts";
import { fromOutside, type LabelledText, type Suspicion } from "../security/from-outside.ts";
import { strangerLabel } from "../security/labels.ts";
import { newFenceId } from "../services/new-fence-id.ts";
import { agentIn, type Services } from "../services/services.ts";
import type { RunOrigin } from "../session-store/run-input.ts";
import { type AcceptRequest, requireModel } from "../session-store/run-request.ts";
import type { HookAction } from "./hook-mapping.ts";
import { ownerKeyOf, type PeopleRoutes, targetOf } from "./slot-requests.ts";

/** Words of a request to `/hooks`, as the agent reads them: fenced, with what they look like. */
export interface HookWords extends LabelledText {
  suspected: readonly string[];
}

/** Fences the words of a request to `/hooks`: whoever sends it, its words are not the owner's. */
export function hookWords(
  text: string,
  { mapping, name = mapping }: { mapping: string; name?: string | undefined },
  { config }: Pick<Services, "config">,
): HookWords {
  const suspected: string[] = [];
  const fenced = fromOutside(
    { text, source: "webhook", labels: [strangerLabel(`hook:${mapping}`)], metadata: { Name: name } },
    {
      ...{ newFenceId, onInjection: config.security.injection.action },
      suspect: ({ patterns }: Suspicion) => suspected.push(...patterns),
    },
  );
  return { ...fenced, suspected };
}

/**
 * The request to a session for a run that a request to `/hooks` starts.
 * @param idempotencyKey of this run; absent where the sender gives none
 * @throws IsopodError `not_found` for an unknown agent, `invalid_request` for an unusable session or model
 */
export function hookRequest(
  action: Extract<HookAction, { kind: "agent" }>,
  { mapping, agentId, idempotencyKey }: { mapping: string; agentId: string; idempotencyKey: string | undefined },
  people: PeopleRoutes,
  services: Services,
): Omit<AcceptRequest, "runId"> {
  const { config } = services;
  const agent = agentIn(services, agentId);
  const sessionKey = hookSessionKey(agentId, action.sessionKey ?? mapping);
  const { channel = "last", to, model, thinking, timeoutSeconds, trusted = false } = action;
  const wanted = channel === "last" && people.last === undefined ? "owner" : channel;
  const { target } = action.deliver === false ? { target: null } : targetOf({ target: wanted, to }, people, services);
  const isFresh = action.sessionMode !== "persistent";
  const origin: RunOrigin = {
    ...{ kind: "hook", mapping },
    ...(isFresh && { isFresh: true as const }),
    ...ownerKeyOf(target, sessionKey, services, people.owners),
  };
  const { text, labels, suspected } = hookWords(action.message, { mapping, name: action.name }, services);
  const lingerMs = isFresh ? parseDuration(config.cron.sessionRetention) : undefined;
  return {
    ...{ sessionKey, agentId },
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(target && { target }),
    ...(lingerMs !== undefined && lingerMs > 0 && { lingerMs }),
    input: {
      text: `[Webhook "${(action.name ?? mapping).replace(/[\r\n"]+/g, " ")}"]\n\n${text}`,
      sender: { id: `hook:${mapping}`, name: action.name ?? mapping, owner: trusted },
      labels,
      ...(suspected.length > 0 && { suspected }),
      ...(model !== undefined && { model: requireModel(model, services) }),
      ...(thinking && { thinking }),
      timeoutSeconds: timeoutSeconds ?? agent.defaults.timeoutSeconds,
      origin,
    },
  };
}
