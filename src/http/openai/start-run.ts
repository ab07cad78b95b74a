import type { Context } from "hono";
import { agentOf } from "../../config/agents.ts";
import { newRunId } from "../../config/session-ids.ts";
import type { ThinkingLevel } from "../../models/model.ts";
import { callSession } from "../../session/api.ts";
import type { ClientWishes, RunInput } from "../../session-store/run-input.ts";
import type { AcceptRequest } from "../../session-store/run-request.ts";
import { requestInput } from "../../session-store/run-request.ts";
import { listSessionApprovals } from "../../session-store/session-index.ts";
import { shownFiles } from "../../turn/inbox.ts";
import type { AppEnv } from "../context.ts";
import { checkedByNewest } from "../newest-services.ts";
import type { Accepted } from "../run-schema.ts";
import { sessionAddress } from "../session-lookup.ts";
import type { NewInput } from "./conversation.ts";
import { keepFiles } from "./files.ts";
import type { FollowedRun } from "./follow-run.ts";
import {
  candidateSessionNames,
  type Idempotency,
  identifyRequest,
  randomSessionName,
  sharedSessionIdempotency,
} from "./idempotency.ts";
import { type RequestSession, singleRequestSession } from "./request-session.ts";
import type { PendingApproval } from "./run-updates.ts";

const MAX_APPROVALS = 50;

/**
 * The input of a run. Stores the files of the request in the workspace. The header `x-isopod-model` names the
 * `provider/model` that answers, because the body's `model` names the agent.
 * @throws IsopodError `invalid_request` for a file or a model that cannot be used
 */
export async function runInput(
  c: Context<AppEnv>,
  agentId: string,
  input: NewInput,
  { thinking, client }: { thinking: ThinkingLevel | undefined; client: ClientWishes | undefined },
): Promise<RunInput> {
  const model = c.req.header("x-isopod-model") ?? c.req.header("x-openclaw-model");
  const request = { message: input.text, ...(model && { model }), ...(thinking && { thinking }) };
  const base = await checkedByNewest(c, (services) => requestInput(request, { agentId }, services));
  const { workspaceOf, config } = c.get("services");
  const kept = await keepFiles(input.files, workspaceOf(agentOf(config, agentId)));
  return {
    ...base,
    text: [input.text, ...kept.map(({ note }) => note)].filter((part) => part !== "").join("\n\n"),
    ...shownFiles(kept),
    ...(input.extraContext !== undefined && { extraContext: input.extraContext }),
    client: { ...client, waitsItself: true },
    ...(input.results && { results: input.results }),
    ...(input.replay && { replay: input.replay }),
  };
}

/** A run that a request has started, or that an earlier attempt of it has. */
export interface StartedRun extends FollowedRun {
  accepted: Accepted;
  /** Whether its session is for this request alone. */
  isSingleRequest: boolean;
}

export interface StartRequest {
  session: RequestSession;
  input: RunInput;
  /** How long a single-request session stays after its run. */
  expiryMs: number;
  /** The request's body, by which a retry is recognized. */
  body: unknown;
}

/** The idempotency of the only request of a session. */
const ONLY: Idempotency = { idempotencyKey: "openai:only" };

/**
 * Stores the input and starts its run; a retry of the request gets the same run.
 * @throws IsopodError what the session refuses, or `unavailable`
 */
export async function startRun(c: Context<AppEnv>, request: StartRequest): Promise<StartedRun> {
  const { agentId, sessionKey } = request.session;
  const identity = await identifyRequest(c, request.body, Date.now());
  if (sessionKey !== undefined) return acceptIn(c, request, sessionKey, sharedSessionIdempotency(identity));
  const candidates = (await candidateSessionNames(identity)).map((name) => singleRequestSession(agentId, name));
  const [first = singleRequestSession(agentId, randomSessionName())] = candidates;
  if (identity.kind === "first-attempt") return startFirstAttempt(c, request, candidates);
  const existing = identity.kind === "retry" ? await firstExistingSession(c, candidates) : undefined;
  return acceptIn(c, request, existing ?? first, identity.kind === "keyed" ? sharedSessionIdempotency(identity) : ONLY);
}

/** Starts the first attempt of a request in a session that no equal request has taken. */
async function startFirstAttempt(
  c: Context<AppEnv>,
  request: StartRequest,
  candidates: readonly string[],
): Promise<StartedRun> {
  for (const key of candidates) {
    const run = await acceptIn(c, request, key, ONLY);
    if (run.isNew) return run;
    await run.events.cancel();
  }
  return acceptIn(c, request, singleRequestSession(request.session.agentId, randomSessionName()), ONLY);
}

async function firstExistingSession(c: Context<AppEnv>, keys: readonly string[]): Promise<string | undefined> {
  for (const key of keys) {
    const history = await callSession(c.env, await sessionAddress(c, key), (session) => session.history(1, undefined));
    if (history !== undefined) return key;
  }
  return undefined;
}

async function acceptIn(
  c: Context<AppEnv>,
  { session: { agentId, sessionKey: namedKey }, input, expiryMs }: StartRequest,
  sessionKey: string,
  idempotency: Idempotency,
): Promise<StartedRun & { isNew: boolean }> {
  const address = await sessionAddress(c, sessionKey);
  const runId = newRunId(address.name, Date.now());
  const isSingleRequest = namedKey === undefined;
  const { revision: configRevision } = c.get("services");
  const request: AcceptRequest = { sessionKey, agentId, runId, configRevision, input, ...idempotency };
  const { accepted, events } = await callSession(c.env, address, (session) =>
    session.acceptAndFollow({ ...request, ...(isSingleRequest && { lingerMs: expiryMs }) }),
  );
  const blockingApprovals = () => pendingApprovals(c, sessionKey);
  return {
    runId: accepted.runId,
    events,
    blockingApprovals,
    onlyFinal: input.client?.format !== undefined,
    accepted,
    isSingleRequest,
    isNew: accepted.runId === runId,
  };
}

/** The calls that wait for approval in a session. */
export function pendingApprovals(c: Context<AppEnv>, sessionKey: string): Promise<PendingApproval[]> {
  return listSessionApprovals(c.env.DB, sessionKey, MAX_APPROVALS);
}
