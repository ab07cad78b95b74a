import { z } from "zod";
import { parseJson } from "../webhook.ts";

/** Slack leaves fields out, or sends null. */
const text = z.string().nullish();

const file = z.object({
  id: z.string(),
  name: text,
  title: text,
  mimetype: text,
  subtype: text,
  duration_ms: z.number().nullish(),
  size: z.number().nullish(),
  mode: text,
  url_private: text,
  url_private_download: text,
});

/** What is attached besides files: a passed-on message, a pasted table, or what a bot shows below its text. */
const attachment = z.object({
  is_share: z.boolean().nullish(),
  author_name: text,
  text,
  fallback: text,
  blocks: z.array(z.unknown()).nullish(),
});

const authored = z.object({
  subtype: text,
  user: text,
  bot_id: text,
  app_id: text,
  username: text,
  user_profile: z.object({ display_name: text, real_name: text }).nullish(),
  bot_profile: z.object({ name: text }).nullish(),
  text,
  ts: z.string(),
  thread_ts: text,
  parent_user_id: text,
  edited: z.object({ ts: z.string() }).nullish(),
  files: z.array(file).nullish(),
  attachments: z.array(attachment).nullish(),
});

const messageEvent = authored.extend({
  type: z.enum(["message", "app_mention"]),
  channel: z.string(),
  message: authored.nullish(),
  previous_message: authored.nullish(),
  deleted_ts: text,
});

const envelope = z.object({
  type: z.string(),
  challenge: text,
  team_id: text,
  api_app_id: text,
  authorizations: z.array(z.object({ user_id: text, is_bot: z.boolean().nullish() })).nullish(),
  event: z.looseObject({ type: z.string() }).nullish(),
});

const command = z.object({
  command: z.string(),
  text: z.string().default(""),
  channel_id: z.string(),
  user_id: z.string(),
  user_name: z.string().optional(),
  team_id: z.string().optional(),
  response_url: z.string().optional(),
  trigger_id: z.string(),
});

const press = z.object({
  type: z.literal("block_actions"),
  user: z.object({ id: z.string(), username: text, name: text }),
  team: z.object({ id: text }).nullish(),
  container: z.object({
    message_ts: text,
    channel_id: text,
    thread_ts: text,
    is_ephemeral: z.boolean().nullish(),
  }),
  channel: z.object({ id: z.string() }).nullish(),
  message: z.object({ thread_ts: text }).nullish(),
  actions: z.array(z.object({ type: z.string(), value: text, action_ts: text })),
  response_url: text,
});

export type SlackFile = z.output<typeof file>;
export type SlackAttachment = z.output<typeof attachment>;
/** A message as it was written, without the event around it. */
export type SlackMessage = z.output<typeof authored>;
export type SlackMessageEvent = z.output<typeof messageEvent>;
export type SlackCommand = z.output<typeof command>;
export type SlackPress = z.output<typeof press>;

/** For whom an event is. */
export interface Installation {
  teamId?: string;
  appId?: string;
  /** The member id of the app's bot. */
  botUserId?: string;
}

export type SlackPayload =
  | { kind: "handshake"; challenge: string }
  | { kind: "message"; event: SlackMessageEvent; installation: Installation }
  | { kind: "command"; command: SlackCommand }
  | { kind: "press"; press: SlackPress }
  /** Nothing that is read; `isLoss` if Slack has left events out. */
  | { kind: "other"; reason: string; isLoss?: true }
  | { kind: "invalid"; problem: string };

/** Parses one request: an event in JSON, or a command or an interaction as a form. Unknown kinds are ignored. */
export function readPayload(body: Uint8Array): SlackPayload {
  const json = parseJson(body);
  if (json !== undefined) return readEvent(json);
  const form = new URLSearchParams(new TextDecoder().decode(body));
  if (form.has("command")) {
    return read(command, Object.fromEntries(form), (data) => ({ kind: "command", command: data }));
  }
  if (form.has("ssl_check")) return { kind: "other", reason: "a check of the certificate" };
  const payload = form.get("payload");
  return payload === null
    ? { kind: "invalid", problem: "neither JSON nor a form of Slack's" }
    : readInteraction(payload);
}

function readEvent(json: unknown): SlackPayload {
  return read(envelope, json, ({ type, challenge, event, ...from }) => {
    if (type === "url_verification" && challenge != null) return { kind: "handshake", challenge };
    if (type === "app_rate_limited") return { kind: "other", reason: "Slack left events out: too many", isLoss: true };
    if (type !== "event_callback") return { kind: "other", reason: `a request of the type ${type}` };
    if (event == null) return { kind: "invalid", problem: "no event" };
    if (event.type !== "message" && event.type !== "app_mention") {
      return { kind: "other", reason: `an event of the type ${event.type}` };
    }
    return read(messageEvent, event, (data) => ({ kind: "message", event: data, installation: installation(from) }));
  });
}

type From = Pick<z.output<typeof envelope>, "team_id" | "api_app_id" | "authorizations">;

function installation({ team_id: teamId, api_app_id: appId, authorizations }: From): Installation {
  const botUserId = authorizations?.find(({ is_bot: isBot }) => isBot)?.user_id;
  return {
    ...(teamId != null && { teamId }),
    ...(appId != null && { appId }),
    ...(botUserId != null && { botUserId }),
  };
}

function readInteraction(payload: string): SlackPayload {
  const json = parseJson(new TextEncoder().encode(payload));
  return read(z.looseObject({ type: z.string() }), json, ({ type }) => {
    if (type !== "block_actions") return { kind: "other", reason: `an interaction of the type ${type}` };
    return read(press, json, (data) => ({ kind: "press", press: data }));
  });
}

function read<Data>(schema: z.ZodType<Data>, value: unknown, use: (data: Data) => SlackPayload): SlackPayload {
  const parsed = schema.safeParse(value);
  return parsed.success ? use(parsed.data) : { kind: "invalid", problem: z.prettifyError(parsed.error) };
}
