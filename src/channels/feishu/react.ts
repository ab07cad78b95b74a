import { z } from "zod";
import type { Delivery, Reaction } from "../channel.ts";
import { credentialsMissing, type FeishuContext, feishuCredentials } from "./account.ts";
import { callFeishu } from "./open-api.ts";
import { toDelivery } from "./send.ts";

/**
 * Feishu's own names of emojis that models use.
 * @see https://open.feishu.cn/document/server-docs/im-v1/message-reaction/emojis-introduce
 */
const NAMES: Readonly<Record<string, string>> = {
  ...{ "👍": "THUMBSUP", "👎": "ThumbsDown", "👌": "OK", "💪": "MUSCLE", "👏": "APPLAUSE", "🙏": "THANKS" },
  ...{ "🤝": "SHAKE", "👋": "WAVE", "✋": "HIGHFIVE", "🙌": "HIGHFIVE", "👊": "FISTBUMP", "🫰": "FINGERHEART" },
  ...{ "❤": "HEART", "🧡": "HEART", "💔": "HEARTBROKEN", "😍": "LOVE", "🥰": "LOVE", "😘": "KISS", "🤗": "HUG" },
  ...{ "🙂": "SMILE", "😊": "BLUSH", "😀": "LAUGH", "😄": "LAUGH", "😁": "BeamingFace", "😂": "LOL", "🤣": "LOL" },
  ...{ "😉": "WINK", "😏": "SMIRK", "🤔": "THINKING", "😎": "SMART", "🤭": "CHUCKLE", "😅": "SWEAT", "😋": "DROOL" },
  ...{ "😢": "CRY", "😭": "SOB", "🥺": "WRONGED", "😞": "FROWN", "😳": "SHY", "😵": "DIZZY", "🤪": "CRAZY" },
  ...{ "😡": "ANGRY", "😠": "ANGRY", "😱": "TERROR", "😮": "WOW", "😲": "SHOCKED", "😴": "SLEEP", "🥱": "YAWN" },
  ...{ "🤒": "SICK", "🤮": "PUKE", "🤦": "FACEPALM", "🤷": "Shrug", "🫡": "SALUTE", "🤡": "ClownFace", "🤫": "SHHH" },
  ...{
    "💀": "SKULL",
    "💩": "POOP",
    "👀": "GLANCE",
    "✅": "DONE",
    "✔": "CheckMark",
    "❌": "CrossMark",
    "💯": "Hundred",
  },
  ...{ "🎉": "PARTY", "🥳": "Partying", "🎆": "FIREWORKS", "🧨": "FIRECRACKER", "🧧": "REDPACKET", "🔥": "Fire" },
  ...{
    "🏆": "Trophy",
    "💡": "StatusFlashOfInspiration",
    "💣": "BOMB",
    "📌": "Pin",
    "⏰": "Alarm",
    "📢": "Loudspeaker",
  },
  ...{ "⏳": "OneSecond", "✍": "Typing", "🎵": "Music", "🌹": "ROSE", "🎂": "CAKE", "🎁": "GIFT", "🍺": "BEER" },
  ...{ "☕": "Coffee", "🧋": "BubbleTea", "🍋": "Lemon", "🎄": "XmasTree", "⛄": "Snowman", "⚽": "Soccer" },
};

const reactions = z.object({
  data: z.object({
    items: z.array(z.object({ reaction_id: z.string(), operator: z.object({ operator_id: z.string() }) })).default([]),
  }),
});

/** Adds a reaction of the app to a message, or takes off those that it has. */
export async function react(
  { messageId, emoji }: Reaction,
  context: FeishuContext,
  signal: AbortSignal,
): Promise<Delivery> {
  const credentials = feishuCredentials(context);
  if (credentials === undefined) return { outcome: "failed", reason: credentialsMissing(context) };
  const path = `im/v1/messages/${encodeURIComponent(messageId)}/reactions`;
  const call = (request: Parameters<typeof callFeishu>[2]) => callFeishu(context, credentials, request, signal);
  if (emoji !== "") {
    // Without the variation selector, and the skin.
    const name = NAMES[emoji.replace(/[\u{FE0F}\u{1F3FB}-\u{1F3FF}]/gu, "")];
    if (name === undefined) return { outcome: "failed", reason: `Feishu has no reaction ${emoji}.` };
    return toDelivery(await call({ path, body: { reaction_type: { emoji_type: name } } }), context);
  }
  const found = await call({ path, method: "GET" });
  const items = found.kind === "ok" ? (reactions.safeParse(found.json).data?.data.items ?? []) : [];
  const own = items.filter(({ operator }) => operator.operator_id === credentials.appId);
  let answer = found;
  for (const { reaction_id: id } of own) {
    answer = await call({ path: `${path}/${encodeURIComponent(id)}`, method: "DELETE" });
  }
  return toDelivery(answer, context);
}
