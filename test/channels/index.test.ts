import { expect, test } from "vitest";
import { z } from "zod";
import type { AnyChannel } from "../../src/channels/channel.ts";
import { channelsConfig, findChannel, listChannels } from "../../src/channels/index.ts";
import { telegram } from "../../src/channels/telegram/telegram.ts";

const pigeon: AnyChannel = { ...telegram, id: "pigeon", account: z.strictObject({ loft: z.string() }) };

/** The ids of the built-in channels, in order. */
const OWN = listChannels().map(({ id }) => id);

/** The accounts of the built-in channels that exist without configuration. */
const standing = Object.fromEntries(
  listChannels().map(({ id, account: schema }) => [id, { accounts: { default: schema.parse({}) } }]),
);

const account = { botToken: { source: "env", id: "BOT_TOKEN" }, webhookSecret: { source: "env", id: "HOOK_SECRET" } };

test("a channel is found by its id", () => {
  expect(findChannel("telegram")).toBe(telegram);
  expect(findChannel("pigeon")).toBeUndefined();
  expect(findChannel("constructor")).toBeUndefined();
});

test("plugins' channels follow the built-in ones and cannot replace them", () => {
  expect(listChannels([pigeon]).map((channel) => channel.id)).toEqual([...OWN, "pigeon"]);
  expect(findChannel("pigeon", [pigeon])).toBe(pigeon);
  expect(findChannel("telegram", [{ ...pigeon, id: "telegram" }])).toBe(telegram);
});

test("an account whose fields all have defaults exists without configuration", () => {
  expect(channelsConfig().parse(undefined)).toEqual(standing);
  expect(channelsConfig().parse({ telegram: {} })).toEqual(standing);
  expect(channelsConfig([pigeon]).parse({})).toEqual(standing);
  expect(channelsConfig([pigeon]).parse({ pigeon: {} })).toEqual({ ...standing, pigeon: { accounts: {} } });
});

test("each account is parsed by its channel's schema, a plugin's too", () => {
  const config = { telegram: { accounts: { work: account } }, pigeon: { accounts: { home: { loft: "roof" } } } };
  expect(channelsConfig([pigeon]).parse(config)).toEqual({
    ...standing,
    telegram: { accounts: { work: telegram.account.parse(account) } },
    pigeon: { accounts: { home: { loft: "roof" } } },
  });
});

test("a single account is the account default", () => {
  expect(channelsConfig().parse({ telegram: account })).toEqual({
    ...standing,
    telegram: { accounts: { default: telegram.account.parse(account) } },
  });
});

test("an unknown channel, account or field is refused by name", () => {
  const refusal = (config: unknown) => channelsConfig().safeParse(config).error?.message;
  expect(refusal({ pigeon: {} })).toContain("pigeon");
  expect(refusal({ telegram: { ...account, colour: "blue" } })).toContain("colour");
  expect(refusal({ telegram: { accounts: { "a/b": account } } })).toContain("a/b");
  expect(refusal({ telegram: "on" })).toContain("telegram");
});
