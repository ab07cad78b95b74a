import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { ChannelFinding, Target } from "../channels/channel.ts";
import { listChannels } from "../channels/index.ts";
import { inviteOwner, listPairings } from "../channels/pairing.ts";
import { COMMANDS } from "../commands/index.ts";
import { secretRef } from "../config/secret-ref.ts";
import { within } from "../lib/deadline.ts";
import { IsopodError } from "../lib/errors.ts";
import { base32, newId } from "../lib/ids.ts";
import { startGateways } from "../services/discord-gateways.ts";
import { noteSecurityEvent } from "../services/security-events.ts";
import type { OpenChannel } from "../services/services.ts";
import { channelAccounts, channelFindings, channelManifest, ownerLink } from "./channel-accounts-schema.ts";
import type { AppEnv } from "./context.ts";
import { onInvalid } from "./errors.ts";
import { smallBody } from "./request-body.ts";

/** How long a platform may take for all that it is asked. */
const PLATFORM_MS = 20_000;
/** 26 characters of base32. */
const INVITATION_BYTES = 16;
/** The agent's commands that are one word, as platforms list them. */
const MENU_COMMANDS = COMMANDS.filter(({ name }) => !name.includes(" ")).map(({ name, summary }) => ({
  name,
  summary,
}));
const HELLO = "Isopod's test message: this account works.";

const params = z.object({ channel: z.string(), account: z.string() });
const address = z
  .url({ protocol: /^https?$/ })
  .transform((url) => new URL(url).origin)
  .optional()
  .openapi({ description: "The Worker's public address, if it is neither configured nor the one that is called." });

function json<Schema extends z.ZodType>(schema: Schema, description: string) {
  return { 200: { description, content: { "application/json": { schema } } } };
}

function body<Schema extends z.ZodType>(schema: Schema) {
  return { body: { required: false, content: { "application/json": { schema } } } } as const;
}

const listRoute = createRoute({
  method: "get",
  path: "/channels",
  summary: "List the accounts of channels",
  request: { query: z.strictObject({}) },
  responses: json(channelAccounts, "All, in the order of the configuration"),
});

const testRoute = createRoute({
  method: "post",
  path: "/channels/{channel}/{account}/test",
  middleware: smallBody,
  summary: "Check an account at its platform, and send a message with it",
  request: {
    params,
    ...body(
      z.strictObject({
        to: z.string().min(1).max(200).optional().openapi({ description: "A conversation that gets a test message." }),
        url: address,
      }),
    ),
  },
  responses: json(channelFindings, "What was found. It is no error if the account does not work"),
});

const connectRoute = createRoute({
  method: "post",
  path: "/channels/{channel}/{account}/connect",
  middleware: smallBody,
  summary: "Set an account up at its platform: the webhook's address, commands",
  request: {
    params,
    ...body(
      z.strictObject({
        url: address,
        takeOver: z
          .boolean()
          .default(false)
          .openapi({ description: "Whether an address of another server is replaced." }),
      }),
    ),
  },
  responses: json(channelFindings, "What was set, and what is left to do"),
});

const manifestRoute = createRoute({
  method: "get",
  path: "/channels/{channel}/{account}/manifest",
  summary: "The text to paste into the platform's settings, such as an app manifest",
  request: { params, query: z.strictObject({ url: address }) },
  responses: json(channelManifest, "The text, and where it goes"),
});

const ownerLinkRoute = createRoute({
  method: "post",
  path: "/channels/{channel}/{account}/owner-link",
  middleware: smallBody,
  summary: "Make a link with which one person becomes an owner, within an hour",
  request: { params },
  responses: {
    201: {
      description: "What that person sends, and the link that sends it where the platform has such",
      content: { "application/json": { schema: ownerLink } },
    },
  },
});

/** `/v1/channels`. */
export const channelAccountRoutes = new OpenAPIHono<AppEnv>({ defaultHook: onInvalid });

channelAccountRoutes.openapi(listRoute, async (c) => {
  const { plugins, config, channel: open } = c.get("services");
  const paired = (await listPairings(c.env.DB)).filter(({ owner, approvedAt }) => owner && approvedAt !== null);
  const accounts = listChannels(plugins.channels).flatMap(({ id }) =>
    Object.keys(config.channels[id]?.accounts ?? {}).map((accountId) => {
      const { channel, context } = open(id, accountId);
      return {
        ...{ channel: id, account: accountId, ready: channel.isReady(context) },
        webhookUrl: webhookUrl(c, { channel: id, account: accountId }),
        capabilities: [...channel.capabilities],
        canConnect: channel.connect !== undefined,
        hasManifest: channel.manifest !== undefined,
        hasOwner:
          paired.some((one) => one.channelId === id && one.accountId === accountId) ||
          config.commands.ownerAllowFrom.some((entry) => entry.startsWith(`${id}:`) || !entry.includes(":")),
        ...settingsOf(context.account),
      };
    }),
  );
  return c.json({ accounts }, 200);
});

channelAccountRoutes.openapi(testRoute, async (c) => {
  const { to, url } = c.req.valid("json") ?? {};
  const place = c.req.valid("param");
  const { channel, context } = c.get("services").channel(place.channel, place.account);
  const target = to === undefined ? undefined : conversation(to, { channel, context });
  const address = webhookUrl(c, place, url);
  const found: ChannelFinding[] = channel.check
    ? await within(PLATFORM_MS, async (signal) => (await channel.check?.(context, address, signal)) ?? [])
    : [readiness({ channel, context })];
  if (target !== undefined) found.push(await hello(target, { channel, context }));
  return c.json({ findings: found }, 200);
});

channelAccountRoutes.openapi(connectRoute, async (c) => {
  const { takeOver = false, url } = c.req.valid("json") ?? {};
  const place = c.req.valid("param");
  const { channel, context } = c.get("services").channel(place.channel, place.account);
  const options = { webhookUrl: webhookUrl(c, place, url), takeOver, commands: MENU_COMMANDS };
  if (channel.connect === undefined) {
    throw new IsopodError(
      "invalid_request",
      `${channel.id} cannot be set up from here.`,
      `Enter ${options.webhookUrl} in the platform's settings: see /docs/${channel.id}.`,
    );
  }
  const done = await within(PLATFORM_MS, async (signal) => (await channel.connect?.(context, options, signal)) ?? []);
  await note(c, place, `connected to ${options.webhookUrl}`);
  await startGateways(c.env, c.get("services").config, { again: true, channel: channel.id });
  return c.json({ findings: done }, 200);
});

channelAccountRoutes.openapi(ownerLinkRoute, async (c) => {
  const place = c.req.valid("param");
  const { channel, context } = c.get("services").channel(place.channel, place.account);
  const code = base32(crypto.getRandomValues(new Uint8Array(INVITATION_BYTES)));
  const link = await within(PLATFORM_MS, async (signal) => channel.startLink?.(context, code, signal));
  await inviteOwner(c.env.DB, { channelId: channel.id, accountId: context.accountId, code, now: Date.now() });
  await note(c, place, "owner link made");
  return c.json({ message: `/start ${code}`, ...(link !== undefined && { link }) }, 201);
});

async function note(c: Context<AppEnv>, place: { channel: string; account: string }, detail: string): Promise<void> {
  const subject = `${place.channel}:${place.account}`;
  await noteSecurityEvent(
    c.env.DB,
    { kind: "channel", agentId: "", by: c.get("caller").name, subject, detail },
    Date.now(),
  );
}

channelAccountRoutes.openapi(manifestRoute, (c) => {
  const place = c.req.valid("param");
  const { channel, context } = c.get("services").channel(place.channel, place.account);
  if (channel.manifest === undefined) throw new IsopodError("not_found", `${channel.id} has no manifest.`);
  return c.json(channel.manifest(context, webhookUrl(c, place, c.req.valid("query").url)), 200);
});

/** What people and tools have to know of an account's settings: the names of its secrets, never their values. */
function settingsOf(account: unknown): { variables: Record<string, string>; apiBase?: string } {
  const fields = Object.entries(account as object);
  const variables = fields.flatMap(([field, value]) => {
    const secret = secretRef.safeParse(value).data;
    return secret === undefined ? [] : [[field, secret.id]];
  });
  const apiBase = fields.find(([field, value]) => field === "apiBase" && typeof value === "string")?.[1];
  return { variables: Object.fromEntries(variables), ...(apiBase !== undefined && { apiBase }) };
}

/** Where the platform has to call: the address that is named, else that of the configuration, else the one called now. */
function webhookUrl(c: Context<AppEnv>, place: { channel: string; account: string }, named?: string): string {
  const origin = named ?? c.get("services").config.channels.defaults?.publicUrl ?? new URL(c.req.url).origin;
  const { hasVisitors } = c.get("services").channel(place.channel, place.account).channel;
  const path = `/channels/${encodeURIComponent(place.channel)}/${encodeURIComponent(place.account)}`;
  return `${origin}${path}/${hasVisitors ? "messages" : "webhook"}`;
}

function conversation(id: string, { channel, context }: OpenChannel): Target {
  const place = channel.conversationOf?.(id);
  if (place === undefined) {
    throw new IsopodError("invalid_request", `to: '${id}' is no conversation that ${channel.id} can write to first`);
  }
  return { channel: channel.id, accountId: context.accountId, kind: place.kind, conversationId: place.id };
}

function readiness({ channel, context }: OpenChannel): ChannelFinding {
  if (channel.isReady(context)) return { status: "ok", message: "it has all its secrets." };
  return { status: "fail", message: "it lacks secrets.", fix: `See /docs/${channel.id} for what to set.` };
}

async function hello(target: Target, { channel, context }: OpenChannel): Promise<ChannelFinding> {
  const [text = ""] = channel.format(HELLO);
  const part = { target, text, deliveryId: newId("dlv", Date.now()) };
  const delivery = await within(PLATFORM_MS, (signal) => channel.send(part, context, signal));
  if (delivery.outcome === "delivered") {
    return { status: "ok", message: `the test message arrived at ${target.conversationId}.` };
  }
  const message = `the test message ${delivery.outcome === "unsure" ? "may not have arrived" : "was not sent"}.`;
  return { status: "fail", message, fix: delivery.reason };
}
