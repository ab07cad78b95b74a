import { describe, expect, test } from "vitest";
import type { InboundMessage, ReceiveResult } from "../../../src/channels/channel.ts";
import { type GatewayLookups, readGatewayEvent } from "../../../src/channels/discord/gateway-event.ts";

const BOT = "900";
const lookups: GatewayLookups = {
  botId: BOT,
  botRoles: async () => ["9001"],
  channel: async () => undefined,
  earlier: () => undefined,
};

const said = {
  id: "1001",
  type: 0,
  channel_id: "501",
  guild_id: "500",
  channel_type: 0,
  author: { id: "7", username: "bob", global_name: "Bob" },
  content: "Hello",
};

const bot = { id: BOT, username: "Isopod", bot: true };

async function read(
  more: object = {},
  name = "MESSAGE_CREATE",
  known: Partial<GatewayLookups> = {},
): Promise<ReceiveResult> {
  return readGatewayEvent(name, { ...said, ...more }, { ...lookups, ...known });
}

async function message(more: object = {}, known: Partial<GatewayLookups> = {}): Promise<InboundMessage> {
  const result = await read(more, "MESSAGE_CREATE", known);
  const [event] = result.kind === "events" ? result.events : [];
  if (event?.kind !== "message") throw new Error(`expected a message, got ${JSON.stringify(result)}`);
  return event;
}

describe("whom a message of a server addresses", () => {
  test("nobody, if it names nobody", async () => {
    expect(await message()).toMatchObject({ mentioned: false, text: "Hello" });
  });

  test("the agent, by a mention, by the bot's role, and by a reply to it", async () => {
    expect(await message({ content: `<@${BOT}> go`, mentions: [bot] })).toMatchObject({ mentioned: true, text: "go" });
    expect(await message({ content: "<@&9001> go", mention_roles: ["9001"] })).toMatchObject({
      mentioned: true,
      text: "go",
    });
    expect(
      await message({ type: 19, referenced_message: { id: "1", author: bot, content: "Shall I?" } }),
    ).toMatchObject({
      mentioned: true,
    });
  });

  test("others, if it names others, and their names are shown", async () => {
    const mentions = [{ id: "8", username: "eve", global_name: "Eve", member: { nick: "Evie" } }];
    const other = await message({ content: "<@8> and <@&77> <:wave:123>", mentions, mention_roles: ["77"] });
    expect(other).toMatchObject({ mentioned: false, text: "@Evie and <@&77> :wave:" });
  });

  test("the bot's roles are asked only where a role is named", async () => {
    const asked: string[] = [];
    const botRoles = async (guild: string) => {
      asked.push(guild);
      return [];
    };
    await message({}, { botRoles });
    expect(asked).toEqual([]);
    await message({ mention_roles: ["77"] }, { botRoles });
    expect(asked).toEqual(["500"]);
  });
});

describe("where a message was written", () => {
  test("alone with the bot, among people, in a channel, or in a thread of one", async () => {
    const { guild_id: _, ...apart } = said;
    const placed = async (more: object) =>
      (await readGatewayEvent("MESSAGE_CREATE", { ...apart, ...more }, lookups)) as never as {
        events: InboundMessage[];
      };
    expect((await placed({ channel_type: 1 })).events[0]).toMatchObject({
      mentioned: true,
      conversation: { kind: "direct", id: "501" },
    });
    expect((await placed({ channel_type: 3 })).events[0]).toMatchObject({
      mentioned: false,
      conversation: { kind: "group" },
    });
    const channel = async () => ({ type: 11, name: "a thread", parent_id: "400" });
    expect((await message({ channel_type: 11 }, { channel })).conversation).toEqual({
      ...{ kind: "channel", id: "501", title: "a thread", parentId: "400", spaceId: "500" },
    });
  });
});

describe("what is not the author's own is quoted", () => {
  test("the message that is answered, with its author", async () => {
    const referenced_message = { id: "1000", author: { id: "8", username: "eve" }, content: "First" };
    const reply = await message({ type: 19, message_reference: { message_id: "1000" }, referenced_message });
    expect(reply).toMatchObject({ text: "Hello", replyToId: "1000", quoted: { text: "First", senderName: "eve" } });
    const gone = await message({ type: 19, message_reference: { message_id: "1000" }, referenced_message: null });
    expect(gone).not.toHaveProperty("quoted");
  });

  test("a forwarded message, with its files", async () => {
    const file = { filename: "a.txt", size: 1, url: "https://cdn.discordapp.com/a.txt" };
    const message_snapshots = [{ message: { content: "Passed on", attachments: [file] } }];
    const forwarded = await message({
      content: "",
      message_reference: { type: 1, message_id: "1" },
      message_snapshots,
    });
    expect(forwarded).toMatchObject({ text: "", quoted: { text: "Passed on" }, attachments: [{ name: "a.txt" }] });
    expect(forwarded).not.toHaveProperty("replyToId");
  });

  test("a voice message is its author's own words, and a forwarded one is not", async () => {
    const file = {
      filename: "voice-message.ogg",
      size: 9,
      url: "https://cdn.discordapp.com/v.ogg",
      duration_secs: 2.4,
    };
    const spoken = { content: "", attachments: [file], flags: 1 << 13 };
    expect((await message(spoken)).attachments).toMatchObject([{ name: file.filename, seconds: 2, isVoice: true }]);
    const passedOn = await message({ content: "", message_snapshots: [{ message: spoken }] });
    expect(passedOn.attachments).toHaveLength(1);
    expect(passedOn.attachments[0]).not.toHaveProperty("isVoice");
    const uploaded = await message({ ...spoken, flags: 0 });
    expect(uploaded.attachments[0]).not.toHaveProperty("isVoice");
  });

  test("the texts of embeds", async () => {
    const embeds = [{ title: "A page", description: "About it", fields: [{ name: "Price", value: "3" }] }];
    expect((await message({ embeds })).quoted).toEqual({ text: "A page\nAbout it\nPrice: 3" });
  });
});

test("stickers and polls are described in words", async () => {
  expect((await message({ content: "", sticker_items: [{ name: "Wave" }] })).text).toBe("[sticker: Wave]");
  const poll = {
    question: { text: "Lunch?" },
    answers: [{ poll_media: { text: "Now" } }, { poll_media: { text: "Later" } }],
  };
  expect((await message({ content: "", poll })).text).toBe("[poll: Lunch? Now / Later]");
});

test("what a webhook posts is a bot's", async () => {
  expect((await message({ webhook_id: "55" })).sender).toMatchObject({ id: "7", isBot: true });
});

test("joins, the bot's own messages, empty ones and other events are passed over, for a reason", async () => {
  for (const more of [{ type: 7 }, { author: bot }, { content: "" }]) {
    expect(await read(more)).toMatchObject({ kind: "answered", reason: expect.stringMatching(/\S/) });
  }
  expect(await read({}, "TYPING_START")).toMatchObject({ kind: "answered" });
});

describe("a change of a message", () => {
  test("by its author is a new version of it, each once", async () => {
    const edited = await read({ content: "Hello!", edited_timestamp: "2026-01-01T00:01:00Z" }, "MESSAGE_UPDATE");
    const again = await read({ content: "Hello?", edited_timestamp: "2026-01-01T00:02:00Z" }, "MESSAGE_UPDATE");
    if (edited.kind !== "events" || again.kind !== "events") throw new Error("expected events");
    expect(edited.events[0]).toMatchObject({ edited: true, messageId: "1001", text: "Hello!" });
    expect(edited.events[0]).not.toHaveProperty("dedupeId", (again.events[0] as InboundMessage).dedupeId);
  });

  test("by Discord, which adds previews of links, is none", async () => {
    expect(await read({ embeds: [{ title: "A page" }] }, "MESSAGE_UPDATE")).toMatchObject({ kind: "answered" });
    const partial = await readGatewayEvent("MESSAGE_UPDATE", { id: "1001", channel_id: "501" }, lookups);
    expect(partial).toMatchObject({ kind: "answered" });
  });

  test("its deletion is its author's, as far as that is known", async () => {
    const earlier = { sender: { id: "7" }, conversation: { kind: "channel", id: "501" } } as const;
    const deleted = await read({}, "MESSAGE_DELETE", { earlier: (id) => (id === "1001" ? earlier : undefined) });
    expect(deleted).toMatchObject({ events: [{ kind: "deletion", messageId: "1001", ...earlier }] });
    expect(await read({}, "MESSAGE_DELETE")).toMatchObject({ kind: "answered" });
  });
});
