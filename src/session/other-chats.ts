import { findChannel } from "../channels/index.ts";
import type { OtherChatsPort, OwnerChat } from "../commands/command.ts";
import { readOwnId } from "../config/own-ids.ts";
import { head } from "../lib/text.ts";
import { messageText } from "../models/message.ts";
import { listOwners } from "../services/owners.ts";
import type { Services } from "../services/services.ts";
import { readHistory } from "../session-store/transcript.ts";
import type { ActiveRun } from "../turn/active-run.ts";
import { type OutboxPortDeps, outboxPort } from "../turn/output/outbox-port.ts";

const MAX_LAST_CHARS = 700;
/** How many of the newest messages are searched for the last reply. */
const SEARCHED = 20;

/** The conversations of an owner on other channels: those of `commands.ownerAllowFrom`, then those who were paired. */
export function otherChats(run: ActiveRun, deps: OutboxPortDeps): OtherChatsPort {
  const { services, database } = deps;
  return {
    async list() {
      const owners = await listOwners(services(), database);
      const chats = owners.flatMap((entry) => ownerChat(entry, services()) ?? []);
      const elsewhere = chats.filter(({ channel }) => channel !== run.row.target?.channel);
      return [...new Map(elsewhere.reverse().map((chat) => [chat.channel, chat])).values()].reverse();
    },
    async write(to, signal) {
      const last = lastReply(deps);
      const text = last === undefined ? "Let us go on here." : `Let us go on here. The last thing I said:\n\n${last}`;
      await outboxPort(run, deps).send({ text, to }, { callId: "continue", signal });
    },
  };
}

/** The direct conversation of an owner, `channel:id`; undefined where the channel cannot write first. */
function ownerChat(entry: string, services: Services): OwnerChat | undefined {
  const at = entry.indexOf(":");
  const [channelId, person] = [entry.slice(0, at), entry.slice(at + 1)];
  const accounts = Object.keys(services.config.channels[channelId]?.accounts ?? {});
  const hasOwnIds = findChannel(channelId, services.plugins.channels)?.hasOwnIds;
  const first = accounts.includes("default") ? "default" : accounts[0];
  const { accountId, id } = hasOwnIds ? readOwnId(person) : { accountId: first, id: person };
  if (at === -1 || accountId === undefined || !accounts.includes(accountId)) return undefined;
  const { channel, context } = services.channel(channelId, accountId);
  const place = channel.conversationOf?.(id);
  if (place?.kind !== "direct" || !channel.isReady(context)) return undefined;
  return { channel: channelId, accountId, conversationId: place.id };
}

function lastReply({ store }: OutboxPortDeps): string | undefined {
  const { messages } = readHistory(store, SEARCHED, undefined);
  const last = messages.findLast(
    (message) => message.role === "assistant" && !message.aside && messageText(message) !== "",
  );
  if (last?.role !== "assistant") return undefined;
  const text = messageText(last);
  return text.length > MAX_LAST_CHARS ? `${head(text, MAX_LAST_CHARS)} …` : text;
}
