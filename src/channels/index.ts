import { z } from "zod";
import type { AnyChannel } from "./channel.ts";
import { dingtalk } from "./dingtalk/dingtalk.ts";
import { discord } from "./discord/discord.ts";
import { email } from "./email/email.ts";
import { feishu } from "./feishu/feishu.ts";
import { github } from "./github/github.ts";
import { googlechat } from "./googlechat/googlechat.ts";
import { heartbeatVisibility } from "./heartbeat-visibility.ts";
import { line } from "./line/line.ts";
import { msteams } from "./msteams/msteams.ts";
import { slack } from "./slack/slack.ts";
import { sms } from "./sms/sms.ts";
import { telegram } from "./telegram/telegram.ts";
import { webchat } from "./webchat/webchat.ts";
import { webhook } from "./webhook/webhook.ts";
import { wecom } from "./wecom/wecom.ts";
import { whatsapp } from "./whatsapp/whatsapp.ts";

const OWN: readonly AnyChannel[] = [
  telegram,
  slack,
  feishu,
  wecom,
  dingtalk,
  whatsapp,
  sms,
  line,
  discord,
  msteams,
  googlechat,
  github,
  email,
  webchat,
  webhook,
];

/** The built-in channels in display order, then those of plugins with ids of their own. */
export function listChannels(plugins: readonly AnyChannel[] = []): AnyChannel[] {
  return [...OWN, ...plugins.filter((plugin) => OWN.every((channel) => channel.id !== plugin.id))];
}

/** The channel with this id. */
export function findChannel(id: string, plugins: readonly AnyChannel[] = []): AnyChannel | undefined {
  return listChannels(plugins).find((channel) => channel.id === id);
}

/** The configured accounts of each channel, parsed by the channel's own schema. */
export type ChannelsConfig = Record<
  string,
  | {
      accounts?: Record<string, unknown> | undefined;
      heartbeatVisibility?: Visibility | undefined;
      /** Of `defaults` alone. */
      publicUrl?: string | undefined;
    }
  | undefined
>;

type Visibility = z.output<typeof heartbeatVisibility>;

/**
 * The schema of the configuration's `channels`: per channel its accounts by id, or a single account that is `default`.
 */
export function channelsConfig(plugins: readonly AnyChannel[] = []): z.ZodType<ChannelsConfig> {
  const entries = listChannels(plugins).map((channel) => [channel.id, accountsSchema(channel)] as const);
  const defaults = z
    .strictObject({ heartbeatVisibility, publicUrl })
    .optional()
    .describe("What holds for all channels.");
  return z
    .strictObject({ defaults, ...Object.fromEntries(entries) })
    .prefault({})
    .describe("Where people talk to the agents.");
}

const publicUrl = z
  .url({ protocol: /^https?$/ })
  .transform((url) => new URL(url).origin)
  .optional()
  .describe(
    "The address under which platforms reach this Worker: signatures of some cover it, and links to files begin with it.",
  );

const accountId = z.string().regex(/^[\w-]{1,64}$/, "use letters, digits, - and _, at most 64");

function accountsSchema(channel: AnyChannel) {
  // If every field of an account has a default, one account exists without configuration.
  const needsNothing = channel.account.safeParse({}).success;
  const accounts = z.strictObject({
    accounts: z
      .record(accountId, channel.account)
      .describe("The accounts by id, which is part of the webhook's address."),
    heartbeatVisibility,
  });
  const entry = eitherSchema(accounts, channel.account)
    .transform((value) => withAccounts(value, needsNothing))
    .pipe(accounts);
  return (needsNothing ? entry.prefault({}) : entry.optional()).describe(`The accounts of the channel ${channel.id}.`);
}

/**
 * Accepts anything, and describes itself as two forms: the transform decides which one is meant before it is checked.
 */
function eitherSchema(...forms: z.ZodType[]) {
  return z.unknown().meta({
    get anyOf() {
      return forms.map((form) => {
        const { $schema: _, ...described } = z.toJSONSchema(form, { io: "input" });
        return described;
      });
    },
  });
}

/** A single account becomes the account `default`. */
function withAccounts(entry: unknown, needsNothing: boolean): unknown {
  if (typeof entry !== "object" || entry === null || "accounts" in entry) return entry;
  return { accounts: Object.keys(entry).length === 0 && !needsNothing ? {} : { default: entry } };
}
