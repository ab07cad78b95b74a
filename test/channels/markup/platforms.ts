import {
  dingtalkMarkup,
  discordMarkup,
  feishuMarkup,
  githubMarkup,
  teamsMarkup,
} from "../../../src/channels/markup/markdown-platforms.ts";
import type { Markup } from "../../../src/channels/markup/markup.ts";
import { emailMarkup, lineMarkup, smsMarkup } from "../../../src/channels/markup/plain-platforms.ts";
import { googleChatMarkup, slackMarkup, whatsappMarkup } from "../../../src/channels/markup/star-platforms.ts";
import { wecomMarkup } from "../../../src/channels/markup/wecom.ts";
import { telegramMarkup } from "../../../src/channels/telegram/markup.ts";

/** The markup of every platform, by the name of its channel. */
export const PLATFORMS: Readonly<Record<string, Markup>> = {
  telegram: telegramMarkup,
  slack: slackMarkup,
  discord: discordMarkup,
  whatsapp: whatsappMarkup,
  line: lineMarkup,
  feishu: feishuMarkup,
  wecom: wecomMarkup,
  dingtalk: dingtalkMarkup,
  msteams: teamsMarkup,
  googlechat: googleChatMarkup,
  github: githubMarkup,
  sms: smsMarkup,
  email: emailMarkup,
};

/** Platforms that write code in fences. */
export const FENCED = [
  "slack",
  "discord",
  "whatsapp",
  "feishu",
  "wecom",
  "dingtalk",
  "msteams",
  "googlechat",
  "github",
];

/** A smaller message of the same platform, in UTF-16 units, so that a short text has many parts. */
export function smaller(markup: Markup, units: number): Markup {
  const { longest: _, ...rest } = markup;
  return { ...rest, limit: { most: units, size: (text) => text.length, units } };
}
