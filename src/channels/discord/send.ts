import { z } from "zod";
import { within } from "../../lib/deadline.ts";
import { log } from "../../lib/log.ts";
import { head } from "../../lib/text.ts";
import type { Addressed, Buttons, Delivery, OutboundFile, OutboundPart, Reaction, Target } from "../channel.ts";
import { oggSeconds } from "../ogg-seconds.ts";
import { STOPPED } from "../platform-call.ts";
import { botToken, type DiscordContext } from "./account.ts";
import { callDiscord, refusalCode } from "./api.ts";
import { channelIdOf } from "./direct-channel.ts";
import { discordDelivery, withoutToken } from "./errors.ts";
import { endThinking, replyToInteraction } from "./interaction-reply.ts";
import { IS_VOICE_MESSAGE } from "./payload.ts";
import { readReplyToken } from "./reply-token.ts";

const TYPING_TIMEOUT_MS = 5_000;

/** Nothing in a text of the agent calls anybody, whatever it looks like. */
const allowed_mentions = { parse: [], replied_user: false } as const;
/** No previews of links: Discord's servers would open each of them. */
const SUPPRESS_EMBEDS = 4;

/** Sends one part: as an answer to its interaction while that can be answered, else as a message of the bot. */
export function sendPart(part: OutboundPart, context: DiscordContext, signal: AbortSignal): Promise<Delivery> {
  const content = { content: part.text, ...(part.buttons && { components: componentRows(part.buttons) }) };
  const plain: MakeBody = (more) => ({ ...content, flags: SUPPRESS_EMBEDS, allowed_mentions, ...more });
  return send(part, { plain }, context, signal);
}

/** Sends a file in the same way, and as a voice message if it is one and Discord takes it as one. */
export function sendFile(file: OutboundFile, context: DiscordContext, signal: AbortSignal): Promise<Delivery> {
  const upload = new File([file.bytes], file.name, { type: file.mediaType });
  const form = (facts: object, more: object) => {
    const body = new FormData();
    const attachments = [{ id: 0, filename: file.name, ...facts }];
    body.set("payload_json", JSON.stringify({ attachments, allowed_mentions, ...more }));
    body.set("files[0]", upload);
    return body;
  };
  const seconds = file.asVoice ? oggSeconds(file.bytes) : undefined;
  const facts = { duration_secs: seconds, waveform: FLAT_WAVEFORM };
  const spoken =
    seconds === undefined ? undefined : (more: object) => form(facts, { flags: IS_VOICE_MESSAGE, ...more });
  return send(file, { plain: (more) => form({}, more), spoken }, context, signal);
}

/** The picture of a voice message's loudness, in base64. Discord asks for one; the true one would take a decoder. */
const FLAT_WAVEFORM = btoa("\0".repeat(32));

/** A voice message is not taken: for its form, or because the bot may not send any in the channel. */
const NO_VOICE_MESSAGES: ReadonlySet<number> = new Set([50159, 50160, 50161, 50173]);

/** Makes the body of a request, with the fields that only a message of the bot has. */
type MakeBody = (more: object) => object | FormData;

/** What is sent; `spoken` is what a message of the bot has instead, if Discord takes it. */
interface Bodies {
  plain: MakeBody;
  spoken?: MakeBody | undefined;
}

async function send(
  { target, token, deliveryId }: Addressed & { deliveryId: string },
  { plain, spoken }: Bodies,
  context: DiscordContext,
  signal: AbortSignal,
): Promise<Delivery> {
  if (signal.aborted) return STOPPED;
  const reply = readReplyToken(token);
  const answered = reply && (await replyToInteraction(reply, plain({}), context, signal));
  if (answered !== undefined) return answered;
  if (botToken(context) === undefined) return withoutToken(context.account);
  const channelId = await channelIdOf(target, context, signal);
  if (typeof channelId !== "string") return channelId;
  const post = (makeBody: MakeBody) => {
    const request = { path: `/channels/${channelId}/messages`, body: makeBody(asBot(target, deliveryId)) };
    return callDiscord(context, request, signal);
  };
  const answer = await post(spoken ?? plain);
  const isNoVoice = spoken !== undefined && NO_VOICE_MESSAGES.has(refusalCode(answer));
  return discordDelivery(isNoVoice ? await post(plain) : answer, context.account);
}

/** Most characters of a nonce; Discord drops a message with one that it has seen in the last minutes. */
const MAX_NONCE_CHARS = 25;
const SNOWFLAKE = /^\d{1,20}$/;

function asBot({ replyToId }: Target, deliveryId: string): object {
  const reference = { message_id: replyToId, fail_if_not_exists: false };
  return {
    ...{ nonce: deliveryId.slice(-MAX_NONCE_CHARS), enforce_nonce: true },
    ...(replyToId !== undefined && SNOWFLAKE.test(replyToId) && { message_reference: reference }),
  };
}

const ACTION_ROW = 1;
const BUTTON = 2;
const SECONDARY = 2;
/** Discord's limits of buttons. */
const MAX_ROWS = 5;
const MAX_ROW_BUTTONS = 5;
const MAX_LABEL_CHARS = 80;
const MAX_ID_CHARS = 100;

/** Rows of buttons. Discord refuses two with the same id, so that of two which say the same there is one. */
function componentRows(buttons: Buttons): object[] {
  const ids = new Set<string>();
  const rows = buttons.flatMap((row) => {
    const shown = row.flatMap(({ label, says }) => {
      const id = head(says, MAX_ID_CHARS);
      if (id === "" || ids.has(id)) return [];
      ids.add(id);
      return [{ type: BUTTON, style: SECONDARY, label: head(label, MAX_LABEL_CHARS), custom_id: id }];
    });
    return Array.from({ length: Math.ceil(shown.length / MAX_ROW_BUTTONS) }, (_, n) =>
      shown.slice(n * MAX_ROW_BUTTONS, (n + 1) * MAX_ROW_BUTTONS),
    );
  });
  return rows.slice(0, MAX_ROWS).map((components) => ({ type: ACTION_ROW, components }));
}

/** Shows "typing…" for about ten seconds; an interaction shows by itself that it is being answered. */
export async function sendTyping({ target, token }: Addressed, context: DiscordContext): Promise<void> {
  if (readReplyToken(token)?.isAwaited || botToken(context) === undefined) return;
  const answer = await within(TYPING_TIMEOUT_MS, async (signal) => {
    const channelId = await channelIdOf(target, context, signal);
    return typeof channelId === "string"
      ? callDiscord(context, { path: `/channels/${channelId}/typing` }, signal)
      : undefined;
  });
  if (answer?.kind !== "ok")
    log("debug", "channel.typing_failed", { channel: "discord", accountId: context.accountId });
}

/** Takes "thinking" away where a message is not answered. */
export async function sendNothing({ token }: Addressed, context: DiscordContext): Promise<void> {
  const reply = readReplyToken(token);
  if (reply !== undefined) await within(TYPING_TIMEOUT_MS, (signal) => endThinking(reply, context, signal));
}

/** Sets the bot's reaction, or removes all of its reactions. */
export async function react(
  { target, token, messageId, emoji }: Reaction,
  context: DiscordContext,
  signal: AbortSignal,
): Promise<Delivery> {
  if (botToken(context) === undefined) return withoutToken(context.account);
  // There is no message yet, and the person sees that it was received.
  if (readReplyToken(token)?.isAwaited) return { outcome: "delivered" };
  if (!SNOWFLAKE.test(messageId)) return { outcome: "failed", reason: `'${messageId}' is no id of a message.` };
  const channelId = await channelIdOf(target, context, signal);
  if (typeof channelId !== "string") return channelId;
  const path = `/channels/${channelId}/messages/${messageId}`;
  const call = async (name: string, method: "PUT" | "DELETE") => {
    const own = { path: `${path}/reactions/${encodeURIComponent(name)}/@me`, method };
    return discordDelivery(await callDiscord(context, own, signal), context.account);
  };
  if (emoji !== "") return call(emojiName(emoji), "PUT");
  const answer = await callDiscord(context, { path, method: "GET" }, signal);
  if (answer.kind !== "ok") return discordDelivery(answer, context.account);
  for (const name of ownReactions(answer.json)) {
    const delivery = await call(name, "DELETE");
    if (delivery.outcome !== "delivered") return delivery;
  }
  return { outcome: "delivered" };
}

/** A server's own emoji is named `name:id`, and shown as `<:name:id>`. */
function emojiName(emoji: string): string {
  return /^<a?:(\w+:\d+)>$/.exec(emoji)?.[1] ?? emoji;
}

const reacted = z.object({
  reactions: z
    .array(z.object({ me: z.boolean(), emoji: z.object({ id: z.string().nullable(), name: z.string().nullable() }) }))
    .default([]),
});

function ownReactions(json: unknown): string[] {
  const { reactions = [] } = reacted.safeParse(json).data ?? {};
  return reactions
    .filter(({ me }) => me)
    .map(({ emoji: { id, name } }) => (id === null ? (name ?? "") : `${name ?? "_"}:${id}`));
}
