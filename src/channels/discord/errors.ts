import { z } from "zod";
import type { Delivery } from "../channel.ts";
import { deliveryOf, type PlatformAnswer } from "../platform-call.ts";
import { type DiscordAccount, tokenMissing } from "./account.ts";
import { refusalCode } from "./api.ts";

const PERMISSIONS = "Give its role the permissions View Channel, Send Messages and Send Messages in Threads there.";

/** What Discord's codes mean to a person, and what to do. */
const MEANINGS: Readonly<Record<number, string>> = {
  10003: "There is no such channel: it was deleted, or its id is wrong.",
  10004: "There is no such server, or the bot was removed from it. Invite it again.",
  10008: "There is no such message: it was deleted.",
  10013: "There is no such person: the id is wrong.",
  10014: "Discord does not know this emoji, or the bot is not in the server that it belongs to.",
  30010: "The message has as many different reactions as Discord allows.",
  40005: "It is larger than Discord allows here.",
  50001: `The bot cannot see the channel. ${PERMISSIONS}`,
  50006: "Discord takes no empty message.",
  50007: "The person does not take direct messages of the bot: they have to allow them in their privacy settings.",
  50008: "Nobody can write in a channel of this kind.",
  50013: `The bot may not do this in the channel. ${PERMISSIONS}`,
  50033: "The person cannot be written to directly.",
  50045: "The file is larger than Discord allows here.",
  50083: "The thread is archived: somebody has to open it again.",
  50278: "The person shares no server with the bot: they have to be in one, or write to it first.",
  90001: "The author of the message has blocked the bot.",
  160002: "The bot may not read the channel's history, which a reply needs: give it that permission.",
  160005: "The thread is locked.",
  200000: "The server's AutoMod has blocked the text.",
  240000: "Discord has blocked the text because of a link in it.",
};

const sent = z.object({ id: z.string() });

/** The outcome of a delivery, by Discord's answer. */
export function discordDelivery(answer: PlatformAnswer, account: DiscordAccount): Delivery {
  return deliveryOf(answer, {
    platform: "Discord",
    externalId: (json) => sent.safeParse(json).data?.id,
    explain(status, description) {
      if (status === 401) return `Discord does not know the bot: check ${account.botToken.id}. ${description}`;
      const meaning = MEANINGS[refusalCode(answer)];
      return meaning && `${meaning} (${description})`;
    },
  });
}

/** The outcome of a delivery that was not begun, because a request before it has failed. */
export function unsentDelivery(answer: PlatformAnswer, account: DiscordAccount): Delivery {
  const delivery = discordDelivery(answer, account);
  if (delivery.outcome === "failed" || delivery.outcome === "retry") return delivery;
  const reason = delivery.outcome === "unsure" ? delivery.reason : "Discord gave an answer that cannot be read";
  return { outcome: "retry", afterMs: 0, reason };
}

/** The outcome for an account without a token. */
export function withoutToken(account: DiscordAccount): Delivery {
  return { outcome: "failed", reason: tokenMissing(account) };
}
