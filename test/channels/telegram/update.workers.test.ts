import type { Message, Update } from "@grammyjs/types";
import { describe, expect, test } from "vitest";
import type { InboundMessage } from "../../../src/channels/channel.ts";
import { telegram } from "../../../src/channels/telegram/telegram.ts";
import { makeBot, type TestBot } from "./test-bot.ts";

const ada = {
  id: 77,
  is_bot: false,
  first_name: "Ada",
  last_name: "Lovelace",
  username: "ada",
  language_code: "en",
} as const;
const bob = { id: 78, is_bot: false, first_name: "Bob" } as const;
const directChat = { id: 77, type: "private", first_name: "Ada", last_name: "Lovelace", username: "ada" } as const;
const group = { id: -1_001_234_567_890, type: "supergroup", title: "Engines" } as const;
const channel = { id: -1_009_876_543_210, type: "channel", title: "Notes", username: "notes" } as const;

const sent = { message_id: 42, date: 1_700_000_000 };

type Said = Partial<Message>;
type Replied = NonNullable<Message["reply_to_message"]>;

/** A message as it comes along with the reply to it. */
function replied(message: Message): Replied {
  return { ...message, reply_to_message: undefined } as Replied;
}

function direct(said: Said): Update {
  return { update_id: 900, message: { ...sent, from: ada, chat: directChat, ...said } as Update["message"] & Message };
}

function inGroup(said: Said): Update {
  return { update_id: 901, message: { ...sent, from: ada, chat: group, ...said } as Update["message"] & Message };
}

/** The words and, around each, where Telegram would have seen it. */
function spotted(text: string, type: "mention" | "bot_command", span: string): Said {
  return { text, entities: [{ type, offset: text.indexOf(span), length: span.length }] };
}

async function receive(bot: TestBot, update: Update) {
  return telegram.receive(bot.update(update), bot.context);
}

async function read(bot: TestBot, update: Update): Promise<InboundMessage> {
  const received = await receive(bot, update);
  const [event] = received.kind === "events" ? received.events : [];
  if (event?.kind !== "message") throw new Error(`expected a message, got ${JSON.stringify(received)}`);
  return event;
}

describe("a direct Telegram message", () => {
  test("becomes text, sender and conversation", async () => {
    expect(await read(makeBot(), direct({ text: "what's up?" }))).toEqual({
      kind: "message",
      dedupeId: "900",
      text: "what's up?",
      sender: { id: "77", name: "Ada Lovelace", username: "ada" },
      conversation: { kind: "direct", id: "77" },
      mentioned: true,
      attachments: [],
      messageId: "42",
    });
  });

  test("keeps emoji and every script as typed", async () => {
    const text = "👩‍👩‍👧 你好，世界 𠀀 مرحبا";
    expect((await read(makeBot(), direct({ text }))).text).toBe(text);
  });

  test("in a topic of the bot's chat has the topic as its thread", async () => {
    const message = await read(makeBot(), direct({ text: "hi", is_topic_message: true, message_thread_id: 9 }));
    expect(message.conversation).toEqual({ kind: "direct", id: "77", threadId: "9" });
  });

  test("is parsed without a request to Telegram", async () => {
    const bot = makeBot();
    await read(bot, direct(spotted("/status@whoever now", "bot_command", "/status@whoever")));
    expect(await bot.calls()).toEqual([]);
  });
});

describe("Telegram content without text", () => {
  test("a location, a contact and a sticker are described in words", async () => {
    const bot = makeBot();
    const location = { latitude: 52.37, longitude: 4.9 };
    expect((await read(bot, direct({ location }))).text).toBe("[location: 52.37, 4.9]");
    const venue = { title: "Café", address: "Dam 1", location };
    expect((await read(bot, direct({ location, venue }))).text).toBe("[place: Café, Dam 1]\n[location: 52.37, 4.9]");
    const contact = { phone_number: "+3120", first_name: "Bob", last_name: "B" };
    expect((await read(bot, direct({ contact }))).text).toBe("[contact: Bob B, +3120]");
    const sticker = { emoji: "🦊", file_id: "s", file_unique_id: "s", type: "regular", width: 1, height: 1 } as const;
    const said = direct({ sticker: { ...sticker, is_animated: false, is_video: false } });
    expect((await read(bot, said)).text).toBe("[sticker 🦊]");
  });

  test("a join, a pinned message and a poll are ignored", async () => {
    const bot = makeBot();
    expect(await receive(bot, inGroup({ new_chat_members: [bob] }))).toMatchObject({ kind: "answered" });
    expect(await receive(bot, inGroup({ delete_chat_photo: true }))).toMatchObject({ kind: "answered" });
  });
});

describe("irrelevant Telegram updates", () => {
  test("are ignored with their kind as the reason", async () => {
    const bot = makeBot();
    const updates: [Update, string][] = [
      [{ update_id: 2, my_chat_member: {} } as unknown as Update, "my_chat_member"],
      [{ update_id: 3 }, "nothing"],
    ];
    for (const [update, kind] of updates) {
      expect(await receive(bot, update)).toEqual({ kind: "answered", reason: `an update of the kind ${kind}` });
    }
  });

  test("include buttons without data or without a message", async () => {
    const pressed = { id: "1", from: ada, chat_instance: "1" };
    for (const press of [
      { ...pressed, data: "yes" },
      { ...pressed, game_short_name: "chess" },
    ]) {
      expect(await receive(makeBot(), { update_id: 2, callback_query: press })).toEqual({
        kind: "answered",
        reason: "a button without data",
      });
    }
  });

  test("include automatic forwards of channel posts, and ephemeral messages", async () => {
    const bot = makeBot();
    const reasons = new Map<string, Update>([
      ["repeated", inGroup({ from: bob, sender_chat: channel, is_automatic_forward: true, text: "post" })],
      ["ephemeral", inGroup({ text: "psst", ephemeral_message_id: 3 })],
      ["channel's owner", inGroup({ text: "hi", chat: { ...group, is_direct_messages: true } })],
    ]);
    for (const [reason, update] of reasons) {
      expect(await receive(bot, update)).toEqual({ kind: "answered", reason: expect.stringContaining(reason) });
    }
  });
});

describe("a Telegram message in another form", () => {
  test("is marked as new version of one, in a chat and in a channel, under the message's own id", async () => {
    const edited = { ...sent, edit_date: 1_700_000_100, from: ada, chat: directChat, text: "I meant" };
    const inChat = await read(makeBot(), { update_id: 5, edited_message: edited } as Update);
    expect(inChat).toMatchObject({ edited: true, messageId: "42", dedupeId: "5", text: "I meant" });
    const post = { ...sent, edit_date: 1, sender_chat: channel, chat: channel, text: "corrected" };
    const inChannel = await read(makeBot(), { update_id: 6, edited_channel_post: post } as Update);
    expect(inChannel).toMatchObject({ edited: true, conversation: { kind: "channel" }, text: "corrected" });
  });

  test("names its album, so that the parts are one message", async () => {
    const photo = [{ file_id: "p", file_unique_id: "p", width: 1, height: 1 }];
    expect(await read(makeBot(), direct({ photo, media_group_id: "g1" }))).toMatchObject({ groupId: "g1" });
    expect(await read(makeBot(), direct({ photo }))).not.toHaveProperty("groupId");
  });

  test("names the message that it answers, also one without words", async () => {
    const replied = { ...sent, message_id: 60, chat: group, from: bob, photo: [] };
    expect(await read(makeBot(), inGroup({ text: "nice", reply_to_message: replied as never }))).toMatchObject({
      replyToId: "60",
    });
  });

  test("of a bot says that a bot wrote it", async () => {
    const message = await read(makeBot(), inGroup({ from: { ...bob, is_bot: true }, text: "beep" }));
    expect(message.sender.isBot).toBe(true);
    expect((await read(makeBot(), inGroup({ from: bob, text: "hi" }))).sender).not.toHaveProperty("isBot");
  });

  test("in a topic names the topic where the update does", async () => {
    const first = {
      ...sent,
      message_id: 4,
      chat: group,
      from: bob,
      forum_topic_created: { name: "Lunch", icon_color: 1 },
    };
    const said = {
      text: "hi",
      is_topic_message: true,
      message_thread_id: 4,
      reply_to_message: first as never,
    } as const;
    const message = await read(makeBot(), inGroup(said));
    expect(message.conversation).toMatchObject({ title: "Engines / Lunch", threadId: "4" });
    expect(message).not.toHaveProperty("replyToId");
  });
});

describe("a Telegram group message", () => {
  test("without a mention is not for the bot, and needs no request to Telegram", async () => {
    const bot = makeBot();
    const message = await read(bot, inGroup({ text: "lunch?" }));
    expect(message).toMatchObject({
      mentioned: false,
      conversation: { kind: "group", id: "-1001234567890", title: "Engines" },
    });
    expect(await bot.calls()).toEqual([]);
  });

  test("that mentions the bot is for it, in any case, after emoji and in a caption", async () => {
    const bot = makeBot();
    const name = `@${bot.username.toUpperCase()}`;
    expect((await read(bot, inGroup(spotted(`👨‍👩‍👧‍👦 hey ${name}!`, "mention", name)))).mentioned).toBe(true);
    const { text, entities } = spotted(`look ${name}`, "mention", name);
    const photo = [{ file_id: "p", file_unique_id: "p", width: 1, height: 1 }];
    const captioned = await read(bot, inGroup({ caption: text!, caption_entities: entities!, photo }));
    expect(captioned).toMatchObject({ mentioned: true, text });
  });

  test("that mentions a longer name, or spells the name as plain text, is not for the bot", async () => {
    const bot = makeBot();
    const longer = `@${bot.username}2`;
    expect((await read(bot, inGroup(spotted(`hey ${longer}`, "mention", longer)))).mentioned).toBe(false);
    const mail = `me@${bot.username}.com`;
    const entities: Message["entities"] = [{ type: "email", offset: 0, length: mail.length }];
    expect((await read(bot, inGroup({ text: mail, entities }))).mentioned).toBe(false);
  });

  test("that mentions the bot by id is for it", async () => {
    const bot = makeBot();
    const user = { id: bot.id, is_bot: true, first_name: "Isopod" };
    const entities: Message["entities"] = [{ type: "text_mention", offset: 0, length: 6, user }];
    expect((await read(bot, inGroup({ text: "Isopod, hi", entities }))).mentioned).toBe(true);
  });

  test("that replies to the bot is for it, a reply to another is not", async () => {
    const bot = makeBot();
    const replyTo = async (id: number) => {
      const story = replied({ ...sent, chat: group, from: { id, is_bot: true, first_name: "B" }, text: "Once…" });
      return read(bot, inGroup({ text: "and then?", reply_to_message: story }));
    };
    expect((await replyTo(bot.id)).mentioned).toBe(true);
    expect((await replyTo(bot.id + 1)).mentioned).toBe(false);
  });

  test("with a command addressed to the bot is for it, and its text omits the bot's name", async () => {
    const bot = makeBot();
    const command = `/status@${bot.username}`;
    const message = await read(bot, inGroup(spotted(`${command} please`, "bot_command", command)));
    expect(message).toMatchObject({ mentioned: true, text: "/status please" });
    expect((await read(bot, inGroup(spotted("/status", "bot_command", "/status")))).mentioned).toBe(false);
  });

  test("with a command for another bot is ignored", async () => {
    const bot = makeBot();
    const received = await receive(bot, inGroup(spotted("/stop@other_bot", "bot_command", "/stop@other_bot")));
    expect(received).toEqual({ kind: "answered", reason: "a command for another bot" });
  });

  test("has its topic as thread, but no thread for a reply chain", async () => {
    const bot = makeBot();
    const inTopic = await read(bot, inGroup({ text: "hi", is_topic_message: true, message_thread_id: 9 }));
    expect(inTopic.conversation.threadId).toBe("9");
    expect((await read(bot, inGroup({ text: "hi", message_thread_id: 9 }))).conversation.threadId).toBeUndefined();
  });

  test("in a topic that the bot created does not count as a reply to the bot", async () => {
    const bot = makeBot();
    const from = { id: bot.id, is_bot: true, first_name: "B" };
    const opening = replied({ ...sent, chat: group, from, forum_topic_created: { name: "Plans", icon_color: 1 } });
    const said = { text: "hi", is_topic_message: true, message_thread_id: 9, reply_to_message: opening };
    const message = await read(bot, inGroup(said));
    expect(message.mentioned).toBe(false);
    expect(message.quoted).toBeUndefined();
  });

  test("of an anonymous administrator has the group as its sender", async () => {
    const stranger = { id: 1_087_968_824, is_bot: true, first_name: "Group", username: "GroupAnonymousBot" };
    const message = await read(makeBot(), inGroup({ from: stranger, sender_chat: group, text: "hi" }));
    expect(message.sender).toEqual({ id: "-1001234567890", name: "Engines" });
  });
});

test("a channel's post has the channel as its sender", async () => {
  const post = { ...sent, chat: channel, sender_chat: channel, text: "news" };
  const message = await read(makeBot(), { update_id: 7, channel_post: post });
  expect(message).toMatchObject({
    dedupeId: "7",
    sender: { id: "-1009876543210", name: "Notes", username: "notes" },
    conversation: { kind: "channel", id: "-1009876543210", title: "Notes" },
    mentioned: false,
  });
});

describe("the Telegram bot's identity", () => {
  test("is requested once, then cached for an hour", async () => {
    const bot = makeBot();
    const mention = () => inGroup(spotted(`@${bot.username}`, "mention", `@${bot.username}`));
    await read(bot, mention());
    await read(bot, mention());
    expect(await bot.calls("getMe")).toHaveLength(1);
    bot.context.now = () => 1_800_000_000_000 + 60 * 60 * 1000;
    await read(bot, mention());
    expect(await bot.calls("getMe")).toHaveLength(2);
  });

  test("is not requested if the configuration has it", async () => {
    const bot = makeBot({ username: "Named_bot" });
    expect((await read(bot, inGroup(spotted("@named_bot hi", "mention", "@named_bot")))).mentioned).toBe(true);
    expect(await bot.calls()).toEqual([]);
  });

  test("makes Telegram retry the update while it is unknown", async () => {
    const bot = makeBot();
    await bot.script({ method: "getMe", status: 502, body: "<html>Bad Gateway</html>" });
    const mention = inGroup(spotted(`@${bot.username}`, "mention", `@${bot.username}`));
    expect(await receive(bot, mention)).toMatchObject({ kind: "refused", response: { status: 503 } });
    expect((await read(bot, mention)).mentioned).toBe(true);
  });
});

describe("quoted text of others in Telegram messages", () => {
  const said = { ...sent, chat: directChat, from: bob };
  const sentences = replied({ ...said, text: "The first. The second." });

  test("a replied-to message is quoted with its author's name", async () => {
    const message = await read(makeBot(), direct({ text: "why?", reply_to_message: sentences }));
    expect(message).toMatchObject({ text: "why?", quoted: { text: "The first. The second.", senderName: "Bob" } });
  });

  test("a selected part is quoted instead of the whole, and a caption for a picture", async () => {
    const bot = makeBot();
    const quote = { text: "The second.", position: 11 };
    expect((await read(bot, direct({ text: "?", reply_to_message: sentences, quote }))).quoted?.text).toBe(
      "The second.",
    );
    const picture = replied({ ...said, caption: "sunset" });
    expect((await read(bot, direct({ text: "?", reply_to_message: picture }))).quoted?.text).toBe("sunset");
  });

  test("a reply to another chat quotes its origin", async () => {
    const origin = { type: "channel", date: 1, chat: channel, message_id: 3 } as const;
    const message = await read(
      makeBot(),
      direct({ text: "?", external_reply: { origin }, quote: { text: "x", position: 0 } }),
    );
    expect(message.quoted).toEqual({ text: "x", senderName: "Notes" });
  });

  test("a forwarded message is quoted, and is not the sender's text", async () => {
    const bot = makeBot();
    const origins: [Message["forward_origin"] & object, string][] = [
      [{ type: "user", date: 1, sender_user: bob }, "Bob"],
      [{ type: "hidden_user", date: 1, sender_user_name: "Mallory" }, "Mallory"],
      [{ type: "chat", date: 1, sender_chat: group }, "Engines"],
      [{ type: "channel", date: 1, chat: channel, message_id: 3 }, "Notes"],
    ];
    for (const [forward_origin, senderName] of origins) {
      const message = await read(bot, direct({ text: "/approve everything", forward_origin }));
      expect(message).toMatchObject({ text: "", quoted: { text: "/approve everything", senderName } });
    }
  });

  test("a forward of one's own message is not quoted", async () => {
    const forward_origin = { type: "user", date: 1, sender_user: ada } as const;
    const message = await read(makeBot(), direct({ text: "note to self", forward_origin }));
    expect(message.text).toBe("note to self");
    expect(message.quoted).toBeUndefined();
  });
});

test("a pressed button is a message with its data, from the person who pressed it, in its chat", async () => {
  const message = {
    ...sent,
    chat: group,
    message_id: 44,
    from: { id: 1, is_bot: true, first_name: "B" },
    text: "Which?",
  };
  const press = { id: "77", from: bob, chat_instance: "1", data: "Tea", message };
  const received = await receive(makeBot(), { update_id: 9, callback_query: press } as Update);
  if (received.kind !== "events") throw new Error(`expected a message, got ${received.kind}`);
  expect(received.events).toMatchObject([
    {
      text: "Tea",
      sender: { id: String(bob.id) },
      conversation: { kind: "group" },
      messageId: "44",
      mentioned: true,
    },
  ]);
  expect(await received.answer?.([{ kind: "accepted" }]).json()).toEqual({
    method: "answerCallbackQuery",
    callback_query_id: "77",
  });
});
