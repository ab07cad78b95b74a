import { z } from "zod";
import type { AnyChannel } from "./channel.ts";
import { telegram } from "./telegram/telegram.ts";

const OWN: readonly AnyChannel[] = [telegram];

/** The channels that Isopod brings, in the order in which people see them, then plugins' under ids of their own. */
export function listChannels(plugins: readonly AnyChannel[] = []): AnyChannel[] {
  return [...OWN, ...plugins.filter((plugin) => OWN.every((channel) => channel.id !== plugin.id))];
}

/** The channel with this id. */
export function findChannel(id: string, plugins: readonly AnyChannel[] = []): AnyChannel | undefined {
  return listChannels(plugins).find((channel) => channel.id === id);
}

/** The configured accounts of each channel; one was read by the schema of the channel that it is of. */
export type ChannelsConfig = Record<string, { accounts: Record<string, unknown> } | undefined>;

/** What the configuration's `channels` may hold: per channel its accounts by id, or one account that is `default`. */
export function channelsConfig(plugins: readonly AnyChannel[] = []): z.ZodType<ChannelsConfig> {
  const entries = listChannels(plugins).map((channel) => [channel.id, accountsSchema(channel)] as const);
  return z.strictObject(Object.fromEntries(entries)).prefault({}).describe("Where people talk to the agents.");
}

const accountId = z.string().regex(/^[\w-]{1,64}$/, "use letters, digits, - and _, at most 64");

function accountsSchema(channel: AnyChannel) {
  // Where an account needs nothing but the usual variables, there is one without a word in the configuration.
  const needsNothing = channel.account.safeParse({}).success;
  const accounts = z.strictObject({
    accounts: z
      .record(accountId, channel.account)
      .describe("The accounts by id, which is part of the webhook's address."),
  });
  const entry = eitherSchema(accounts, channel.account)
    .transform((value) => withAccounts(value, needsNothing))
    .pipe(accounts);
  return (needsNothing ? entry.prefault({}) : entry.optional()).describe(`The accounts of the channel ${channel.id}.`);
}

/** Takes everything, and describes itself as two forms: which of them is meant is found out before either is checked. */
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

/** An account that stands alone is the account `default`. */
function withAccounts(entry: unknown, needsNothing: boolean): unknown {
  if (typeof entry !== "object" || entry === null || "accounts" in entry) return entry;
  return { accounts: Object.keys(entry).length === 0 && !needsNothing ? {} : { default: entry } };
}
