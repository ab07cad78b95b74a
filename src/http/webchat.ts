import { type Context, Hono } from "hono";
import { z } from "zod";
import type { Target } from "../channels/channel.ts";
import { isOff, type WebchatContext } from "../channels/webchat/account.ts";
import { linkContent, readContent } from "../channels/webchat/content.ts";
import { visitorOf } from "../channels/webchat/receive.ts";
import { newVisitor, renewed, type Visitor, visitorToken } from "../channels/webchat/visitor-token.ts";
import { webchat } from "../channels/webchat/webchat.ts";
import { parseJson } from "../channels/webhook.ts";
import { locationOf } from "../config/session-location.ts";
import { receiveEvents } from "../inbound/receive-events.ts";
import { SenderCounts, type SenderRate } from "../inbound/sender-rate.ts";
import { IsopodError } from "../lib/errors.ts";
import { DATA_KEY_HINT } from "../security/data-key.ts";
import { addressOf } from "../services/call-session.ts";
import { visitorSession } from "../services/conversation-place.ts";
import { fileLink } from "../services/file-links.ts";
import { agentIn, type OpenChannel, type Services } from "../services/services.ts";
import { callSession } from "../session/api.ts";
import type { VisitorEntry, VisitorView, VisitorWait } from "../session-store/visitor-view.ts";
import { clientAddress } from "./attempts.ts";
import type { AppEnv } from "./context.ts";
import { readBody } from "./request-body.ts";
import { repliesRequest, type ShownConversation, type ShownEntry, type Visit } from "./webchat-schema.ts";
import { answerWebhook } from "./webhook.ts";

/** How long a request for replies waits. */
const WAIT_MS = 25_000;
const MAX_ASKED_BYTES = 1_024;
/** How often one visitor asks for the conversation. */
const ASKING_RATE: SenderRate = { messagesPerMinute: 120, messagesPerDay: Number.POSITIVE_INFINITY };
/** New visitors of one address, behind which there may be an office. */
const VISITOR_RATE: SenderRate = { messagesPerMinute: 20, messagesPerDay: 500 };
/** As many visitors as this may write from one address as much as one of them may. */
const VISITORS_AT_ONCE = 5;
/** How long a browser asks no more whether a page may have the chat box. */
const ALLOWED_SECONDS = 7_200;

const asking = new SenderCounts();
const coming = new SenderCounts();
const writing = new SenderCounts();

/** What a request of a page is about. */
interface PageRequest {
  open: OpenChannel & { context: WebchatContext };
  origin: string;
}

/**
 * `/channels/webchat/:account/…`: what the chat box on a website asks, without a login. Only pages of the account's
 * origins are answered, and each visitor by what the visitor's own session has delivered.
 */
export const webchatRoutes = new Hono<AppEnv>();

const HANDLERS = { visits: visit, messages: say, replies } as const;

for (const [name, handle] of Object.entries(HANDLERS)) {
  const path = `/channels/:channel/:account/${name}`;
  webchatRoutes.options(path, (c) => {
    allow(c, openBox(c));
    c.header("Access-Control-Allow-Headers", "Authorization, Content-Type");
    c.header("Access-Control-Allow-Methods", "POST");
    c.header("Access-Control-Max-Age", String(ALLOWED_SECONDS));
    return c.body(null, 204);
  });
  webchatRoutes.post(path, async (c) => {
    const page = openBox(c);
    allow(c, page);
    return handle(c, page);
  });
}

/** Begins a visit, or goes on with the one whose token is sent. */
async function visit(c: Context<AppEnv>, page: PageRequest): Promise<Response> {
  const { context } = page.open;
  const known = await visitorOf(c.req.raw, context);
  if (known === undefined) requireRate(coming, clientAddress(c.req.raw), VISITOR_RATE);
  else requireAskingRate(page, known);
  const visitor = known === undefined ? newVisitor(context) : renewed(known, context);
  const shown = known === undefined ? NOTHING : await conversationOf(c, page, visitor);
  const { greeting, title = agentName(c, page, visitor) } = context.account;
  const answer: Visit = {
    ...shown,
    token: await visitorToken(visitor, page.origin, context),
    ...(title !== undefined && { title }),
    ...(greeting !== undefined && { greeting }),
  };
  return c.json(answer);
}

function agentName(c: Context<AppEnv>, { open }: PageRequest, visitor: Visitor): string | undefined {
  const services = c.get("services");
  return agentIn(services, visitorSession(targetOf(open, visitor), services).agentId).name;
}

/** Takes a visitor's message. */
async function say(c: Context<AppEnv>, { open }: PageRequest): Promise<Response> {
  const services = c.get("services");
  const { messagesPerMinute, messagesPerDay } = services.config.security.senderRate;
  requireRate(writing, clientAddress(c.req.raw), {
    messagesPerMinute: VISITORS_AT_ONCE * messagesPerMinute,
    messagesPerDay: VISITORS_AT_ONCE * messagesPerDay,
  });
  const deps = {
    ...{ services, env: c.env, database: c.env.DB, origin: new URL(c.req.url).origin },
    waitUntil: (work: Promise<unknown>) => c.executionCtx.waitUntil(work),
  };
  const response = await answerWebhook(c.req.raw, open, (events) => receiveEvents(events, open, deps));
  return c.newResponse(response.body, response);
}

/** What was said, once it is more than the browser knows. */
async function replies(c: Context<AppEnv>, page: PageRequest): Promise<Response> {
  const visitor = await visitorOf(c.req.raw, page.open.context);
  if (visitor === undefined) {
    throw new IsopodError("unauthorized", "The visitor's token is missing, wrong or too old.", "Begin a new visit.");
  }
  requireAskingRate(page, visitor);
  const { since, wait } = parsedRequest(await readBody(c.req.raw, MAX_ASKED_BYTES));
  return c.json(await conversationOf(c, page, visitor, { since, waitMs: wait ? WAIT_MS : 0 }));
}

function parsedRequest(body: Uint8Array): z.output<typeof repliesRequest> {
  const { data, error } = repliesRequest.safeParse(parseJson(body));
  if (data === undefined) throw new IsopodError("invalid_request", z.prettifyError(error));
  return data;
}

const NOTHING: ShownConversation = { version: "", isBusy: false, entries: [] };

async function conversationOf(
  c: Context<AppEnv>,
  { open }: PageRequest,
  visitor: Visitor,
  wait: VisitorWait = { since: "", waitMs: 0 },
): Promise<ShownConversation> {
  const services = c.get("services");
  const target = targetOf(open, visitor);
  const { sessionKey } = visitorSession(target, services);
  const address = await addressOf(c.env, sessionKey, locationOf(services.config, sessionKey));
  const view = await callSession(c.env, address, (session) => session.visitorView(target, wait));
  if (view === undefined) return NOTHING;
  const { version, isBusy } = view;
  if (version === wait.since) return { version, isBusy, entries: [] };
  return { version, isBusy, entries: await Promise.all(view.entries.map((entry) => shown(entry, view, c))) };
}

async function shown(
  { id, from, text, file }: VisitorEntry,
  { agentId }: VisitorView,
  c: Context<AppEnv>,
): Promise<ShownEntry> {
  const { dataKey, config } = c.get("services");
  if (file === undefined || dataKey === undefined)
    return { id, from, content: from === "agent" ? readContent(text) : [text] };
  const { path, etag } = file;
  const name = path.slice(path.lastIndexOf("/") + 1);
  const origin = config.channels.defaults?.publicUrl ?? new URL(c.req.url).origin;
  const link = await fileLink({ kind: "file", agentId, path, etag }, name, { dataKey, origin, now: Date.now() });
  return { id, from, content: linkContent(`📎 ${name}`, link) };
}

function targetOf({ channel, context: { accountId } }: PageRequest["open"], { id }: Visitor): Target {
  return { channel: channel.id, accountId, kind: "direct", conversationId: id };
}

/**
 * The chat box of an address.
 * @throws IsopodError `not_found`; `not_configured` without a data key; `forbidden` for a page that may not have it
 */
function openBox(c: Context<AppEnv>): PageRequest {
  const { channel: channelId = "", account: accountId = "" } = c.req.param();
  const open = channelId === webchat.id ? openAccount(c.get("services"), accountId) : undefined;
  if (open === undefined) throw new IsopodError("not_found", "There is no such chat box.");
  const origin = c.req.header("Origin") ?? "";
  if (isOff(open.context.account) || !open.context.account.allowedOrigins.includes(origin)) {
    const hint = "Its owner can add the page's origin to allowedOrigins of the account.";
    throw new IsopodError("forbidden", "This page may not have the chat box.", hint);
  }
  if (open.context.dataKey === undefined) {
    throw new IsopodError("not_configured", "Visitors cannot be told apart.", DATA_KEY_HINT);
  }
  return { open, origin };
}

function openAccount(services: Services, accountId: string): PageRequest["open"] | undefined {
  if (services.config.channels[webchat.id]?.accounts?.[accountId] === undefined) return undefined;
  const { channel, context } = services.channel(webchat.id, accountId);
  // The configuration has parsed the account.
  return { channel, context: context as WebchatContext };
}

/** Lets the page read the answer, an error's too. */
function allow(c: Context<AppEnv>, { origin }: PageRequest): void {
  c.header("Access-Control-Allow-Origin", origin);
  c.header("Access-Control-Expose-Headers", "Retry-After");
  c.header("Cache-Control", "no-store");
  c.header("Vary", "Origin");
}

/** @throws IsopodError `rate_limited` */
function requireAskingRate({ open }: PageRequest, { id }: Visitor): void {
  requireRate(asking, `${open.context.accountId}:${id}`, ASKING_RATE);
}

/** @throws IsopodError `rate_limited` */
function requireRate(counts: SenderCounts, who: string, rate: SenderRate): void {
  if (!counts.count(who, rate, Date.now()).over) return;
  throw new IsopodError("rate_limited", "That was too much at once.", "Wait a minute.", { retryAfterSec: 60 });
}
