import { type Context, Hono } from "hono";
import { z } from "zod";
import { agentOf, defaultAgentId, heartbeatOf } from "../config/agents.ts";
import type { WebhookRules } from "../config/automation-schema.ts";
import { newRunId } from "../config/session-ids.ts";
import { locationOf } from "../config/session-location.ts";
import { type HookAction, type HookRequest, mapHookRequest } from "../inbound/hook-mapping.ts";
import { hookRequest, hookWords } from "../inbound/hook-requests.ts";
import { peopleRoutes } from "../inbound/people-routes.ts";
import { shortDigest } from "../lib/digest.ts";
import { IsopodError } from "../lib/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../lib/json.ts";
import { log } from "../lib/log.ts";
import { fromHex, isHmac } from "../security/hmac.ts";
import { secretEqual } from "../security/secret-equal.ts";
import { addressOf } from "../services/call-session.ts";
import { wakeHeartbeat } from "../services/schedule/heartbeats.ts";
import { agentIn } from "../services/services.ts";
import { callSession } from "../session/api.ts";
import { clientAddress, WrongAttempts } from "./attempts.ts";
import type { AppEnv } from "./context.ts";
import { checkedByNewest } from "./newest-services.ts";
import { readBody } from "./request-body.ts";

/** Most runs that one request starts: each is a call of a session. */
const MAX_RUNS = 25;
/** The name of what comes in without a mapping. */
const DIRECT = "webhook";
/** Headers that name a request, so that it is taken once; the last is GitHub's, the one before Standard Webhooks'. */
const KEY_HEADERS = ["Idempotency-Key", "webhook-id", "X-GitHub-Delivery"];

const wakeBody = z.strictObject({
  text: z.string().trim().min(1).max(16_000),
  mode: z.enum(["now", "next-heartbeat"]).default("now"),
  agentId: z.string().optional(),
});

const agentBody = z.strictObject({
  message: z.string().trim().min(1).max(200_000),
  name: z.string().min(1).max(200).optional(),
  agentId: z.string().optional(),
  sessionKey: z.string().min(1).max(200).optional(),
  wakeMode: z.enum(["now", "next-heartbeat"]).default("now"),
  deliver: z.boolean().optional(),
  channel: z.string().min(1).max(64).optional(),
  to: z.string().min(1).max(200).optional(),
  model: z.string().min(1).max(200).optional(),
  thinking: z.enum(["off", "minimal", "low", "medium", "high"]).optional(),
  timeoutSeconds: z.int().min(0).max(86_400).optional(),
});

/** `POST /hooks/wake`, `/hooks/agent` and `/hooks/<mapping>`: requests from outside that wake an agent or start runs. */
export const hookRoutes = new Hono<AppEnv>();

hookRoutes.post("/hooks/:path{.+}", async (c) => {
  const { hooks: rules } = c.get("services").config;
  if (!rules.enabled) {
    throw new IsopodError("not_found", "Webhooks are switched off.", "Set hooks.enabled and hooks.token.");
  }
  const bytes = await readBody(c.req.raw, rules.maxBodyBytes);
  await requireHookToken(c, rules, bytes);
  const request: HookRequest = {
    path: c.req.param("path"),
    body: parsedBody(bytes),
    headers: Object.fromEntries(c.req.raw.headers),
    query: c.req.query(),
  };
  const { mapping, actions } = actionsOf(request, rules);
  if (actions.length > MAX_RUNS) {
    throw new IsopodError(
      "payload_too_large",
      `The body comes to ${actions.length} runs; at most ${MAX_RUNS} are taken.`,
    );
  }
  const key = KEY_HEADERS.map((name) => c.req.header(name)).find((value) => value !== undefined && value !== "");
  const runs: { runId: string; sessionKey: string }[] = [];
  for (const [at, action] of actions.entries()) {
    const run = await carryOut(c, action, { mapping, key: key && `${key}:${at}` });
    if (run !== undefined) runs.push(run);
  }
  return c.json({ ok: true, mapping, ...(runs[0] && { runId: runs[0].runId }), runs }, 202);
});

/** What a request asks for. @throws IsopodError naming what is wrong with it */
function actionsOf(request: HookRequest, rules: WebhookRules): { mapping: string; actions: HookAction[] } {
  const { path, body } = request;
  if (path === "wake") {
    const { text, mode, agentId } = parsed(wakeBody, body);
    return { mapping: DIRECT, actions: [{ kind: "wake", text, mode, ...named(agentId, rules) }] };
  }
  if (path === "agent") {
    const { agentId, sessionKey, ...wanted } = parsed(agentBody, body);
    if (sessionKey !== undefined) requireAllowedSession(sessionKey, rules);
    const session = sessionKey ?? rules.defaultSessionKey;
    const action: HookAction = {
      ...{ kind: "agent", ...withoutUndefined(wanted), ...named(agentId, rules) },
      ...(session !== undefined && { sessionKey: session, sessionMode: "persistent" as const }),
    };
    return { mapping: DIRECT, actions: [action] };
  }
  const mapped = mapHookRequest(rules, request);
  if (!mapped.matched) {
    throw new IsopodError("not_found", `No mapping takes '/hooks/${path.slice(0, 80)}'.`, "Add one to hooks.mappings.");
  }
  const { mapping } = mapped;
  if ("refused" in mapped) {
    const hint = "Look at its templates: what is missing in the body is nothing.";
    throw new IsopodError("invalid_request", `The mapping '${mapping}' comes to no words: ${mapped.refused}.`, hint);
  }
  return { mapping, actions: mapped.actions };
}

type Defined<Fields> = { [Key in keyof Fields]: Exclude<Fields[Key], undefined> };

function withoutUndefined<Fields extends object>(fields: Fields): Defined<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<Fields>;
}

/** The agent that a request names. @throws IsopodError `forbidden` if requests may not name it */
function named(agentId: string | undefined, { allowedAgentIds }: WebhookRules): { agentId?: string } {
  if (agentId === undefined) return {};
  if (allowedAgentIds !== undefined && !allowedAgentIds.includes(agentId)) {
    throw new IsopodError(
      "forbidden",
      `agentId: requests may not name '${agentId}'`,
      "Add it to hooks.allowedAgentIds.",
    );
  }
  return { agentId };
}

function requireAllowedSession(key: string, rules: WebhookRules): void {
  if (!rules.allowRequestSessionKey) {
    const hint = "Leave it out, or set hooks.allowRequestSessionKey.";
    throw new IsopodError("forbidden", "sessionKey: requests may not name their session", hint);
  }
  const prefixes = rules.allowedSessionKeyPrefixes;
  if (prefixes.length > 0 && !prefixes.some((prefix) => key.startsWith(prefix))) {
    throw new IsopodError("forbidden", `sessionKey: begin it with ${prefixes.join(" or ")}`);
  }
}

/** Starts a run, or wakes an agent. @returns the run, if it starts one at once */
async function carryOut(
  c: Context<AppEnv>,
  action: HookAction,
  { mapping, key }: { mapping: string; key: string | undefined },
): Promise<{ runId: string; sessionKey: string } | undefined> {
  const { env } = c;
  const known = c.get("services");
  const agentId = action.agentId ?? defaultAgentId(known.config);
  const beats = heartbeatOf(known.config, agentId) !== undefined;
  const waits =
    action.kind === "wake" ? beats || action.mode === "next-heartbeat" : action.wakeMode === "next-heartbeat";
  const idempotencyKey = key === undefined ? undefined : `hook:${await shortDigest(`${mapping} ${key}`)}`;
  if (waits) {
    agentOf(known.config, agentId);
    const said = action.kind === "wake" ? action.text : action.message;
    const name = action.kind === "agent" ? action.name : undefined;
    const { text, labels, suspected } = hookWords(said, { mapping, name }, known);
    if (suspected.length > 0) log("warn", "hook.suspected", { mapping, patterns: suspected.join(" ") });
    const scope = { agentId, zone: agentIn(known, agentId).defaults.userTimezone ?? "UTC", by: `hook:${mapping}` };
    const mode = action.kind === "wake" ? action.mode : "next-heartbeat";
    const deps = { database: env.DB, queue: env.SCHEDULE, now: Date.now };
    await wakeHeartbeat(known.config, scope, { id: idempotencyKey, text, labels, mode }, deps);
    return undefined;
  }
  const run = action.kind === "agent" ? action : wakeRun(action);
  const people = (await peopleRoutes(env.DB, known, [agentId])).get(agentId) ?? { last: undefined, owners: [] };
  const { request, revision, config } = await checkedByNewest(c, (services) => ({
    request: hookRequest(run, { mapping, agentId, idempotencyKey }, people, services),
    revision: services.revision,
    config: services.config,
  }));
  const address = await addressOf(env, request.sessionKey, locationOf(config, request.sessionKey));
  const accept = { ...request, runId: newRunId(address.name, Date.now()), configRevision: revision };
  const { runId, sessionKey } = await callSession(env, address, (session) => session.accept(accept));
  return { runId, sessionKey };
}

/** The run of a wake of an agent that has no heartbeat. */
function wakeRun({ text, agentId }: Extract<HookAction, { kind: "wake" }>): Extract<HookAction, { kind: "agent" }> {
  const named = agentId === undefined ? {} : { agentId };
  return {
    kind: "agent",
    message: text,
    wakeMode: "now",
    sessionKey: "hook:wake",
    sessionMode: "persistent",
    ...named,
  };
}

/** Wrong tokens as this isolate has seen them. */
const wrongTokens = new WrongAttempts();

/**
 * Whether a request carries the hooks' token: in a header, or as the key of GitHub's signature over the raw body.
 * @throws IsopodError `unauthorized`, `rate_limited` after too many
 */
async function requireHookToken(c: Context<AppEnv>, { token }: WebhookRules, bytes: Uint8Array): Promise<void> {
  const expected = token && c.get("services").secret(token.id);
  if (!expected) {
    throw new IsopodError("not_configured", "hooks.token names no secret.", "Set it, and the secret that it names.");
  }
  const given = /^Bearer (.+)$/i.exec(c.req.header("Authorization") ?? "")?.[1] ?? c.req.header("X-OpenClaw-Token");
  if (given !== undefined && (await secretEqual(given, expected))) return;
  const signature = /^sha256=([0-9a-f]{64})$/i.exec(c.req.header("X-Hub-Signature-256") ?? "")?.[1];
  if (signature !== undefined && (await isSigned(bytes, signature, expected))) return;
  const { retryAfterSec } = wrongTokens.note(clientAddress(c.req.raw), Date.now());
  if (retryAfterSec !== undefined) {
    throw new IsopodError("rate_limited", "There were too many wrong tokens.", `Wait ${retryAfterSec} seconds.`, {
      retryAfterSec,
    });
  }
  const hint = "Send the token of hooks.token as 'Authorization: Bearer …', never in the address.";
  throw new IsopodError("unauthorized", "The token of webhooks is missing or wrong.", hint);
}

/** @see https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries */
function isSigned(bytes: Uint8Array, signature: string, secret: string): Promise<boolean> {
  return isHmac("SHA-256", secret, bytes, fromHex(signature));
}

/** @throws IsopodError `invalid_request` for a body that is no JSON object */
function parsedBody(bytes: Uint8Array): JsonObject {
  try {
    const body: Json = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes));
    if (isJsonObject(body)) return body;
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof TypeError)) throw error;
  }
  throw new IsopodError("invalid_request", "The body is no JSON object.", "Send JSON, with application/json.");
}

/** @throws IsopodError `invalid_request` naming the field */
function parsed<Schema extends z.ZodType>(schema: Schema, body: JsonObject): z.output<Schema> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const param = issue?.path.join(".") ?? "";
  throw new IsopodError("invalid_request", `${param || "body"}: ${issue?.message}`, undefined, { param });
}
