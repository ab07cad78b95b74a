import { describe, expect, test } from "vitest";
import type { InboundEvent, InboundMessage } from "../../../src/channels/channel.ts";
import type { SlackAccount } from "../../../src/channels/slack/account.ts";
import { slack } from "../../../src/channels/slack/slack.ts";
import { BOT_ID, delivered, makeApp, message } from "./test-app.ts";

const CHANNEL = { channel: "C0LABCHAN1", channel_type: "channel" };

async function receive(
  event: object,
  { account = {}, more = {} }: { account?: Partial<SlackAccount>; more?: object } = {},
) {
  return slack.receive(await delivered(event, more), makeApp(account).context);
}

async function only(...given: Parameters<typeof receive>): Promise<InboundEvent> {
  const received = await receive(...given);
  if (received.kind !== "events" || received.events.length !== 1) throw new Error(JSON.stringify(received));
  return received.events[0]!;
}

async function heard(...given: Parameters<typeof receive>): Promise<InboundMessage> {
  const event = await only(...given);
  if (event.kind !== "message") throw new Error(event.kind);
  return event;
}

async function ignored(...given: Parameters<typeof receive>): Promise<string> {
  const received = await receive(...given);
  if (received.kind !== "answered") throw new Error(`expected nothing, got ${JSON.stringify(received)}`);
  return received.reason;
}

describe("a message in a DM", () => {
  test("is addressed, and has Slack's ids", async () => {
    expect(await heard(message("hello"))).toEqual({
      kind: "message",
      dedupeId: "D0LABDM0001:1799999999.000100",
      text: "hello",
      sender: { id: "U0LABADA01" },
      conversation: { kind: "direct", id: "D0LABDM0001", spaceId: "T0LABTEAM1" },
      mentioned: true,
      attachments: [],
      messageId: "1799999999.000100",
    });
  });

  test("has its author's name where the event says it, which is no username that rights could hang on", async () => {
    const profile = { user_profile: { display_name: "", real_name: "Ada Lovelace" } };
    expect((await heard(message("hello", profile))).sender).toEqual({ id: "U0LABADA01", name: "Ada Lovelace" });
  });

  test("of the agent view is in its thread", async () => {
    const { conversation } = await heard(message("and?", { thread_ts: "1799999990.000100" }));
    expect(conversation).toMatchObject({ kind: "direct", threadId: "1799999990.000100" });
  });
});

describe("a message in a channel", () => {
  test("is addressed if it mentions the bot, and reads without the mention", async () => {
    const mention = await heard(message(`<@${BOT_ID}> /status`, CHANNEL));
    expect(mention).toMatchObject({ text: "/status", mentioned: true, conversation: { kind: "channel" } });
    const inside = await heard(message(`Hey <@${BOT_ID}|isopod> there, ask <@U0LABBOB01>`, CHANNEL));
    expect(inside).toMatchObject({ text: "Hey there, ask @U0LABBOB01", mentioned: true });
    expect(await heard(message("Hey <@U0LABBOB01|bob>", CHANNEL))).toMatchObject({
      text: "Hey @bob",
      mentioned: false,
    });
  });

  test("is addressed if it answers in a thread that the bot began", async () => {
    const reply = { ...CHANNEL, thread_ts: "1799999990.000100" };
    const toBot = await heard(message("yes", { ...reply, parent_user_id: BOT_ID }));
    expect(toBot).toMatchObject({ mentioned: true, conversation: { threadId: "1799999990.000100" } });
    expect((await heard(message("yes", { ...reply, parent_user_id: "U0LABBOB01" }))).mentioned).toBe(false);
  });

  test("is not addressed for having no text", async () => {
    const files = [{ id: "F0LAB1", name: "x.pdf" }];
    expect((await heard(message("", { ...CHANNEL, text: null, files }))).mentioned).toBe(false);
  });

  test("is not lost where it is a mention and nothing else", async () => {
    expect(await heard(message(`<@${BOT_ID}>`, CHANNEL))).toMatchObject({
      text: "[a mention without words]",
      mentioned: true,
    });
  });

  test("that mentions the bot has one dedupe id and one conversation, whichever of its two events comes", async () => {
    for (const channel of ["C0LABCHAN1", "G0LABMPIM1"]) {
      const text = `<@${BOT_ID}> 1`;
      const asMessage = await heard(message(text, { channel, channel_type: "mpim" }));
      const asMention = await heard(message(text, { type: "app_mention", channel, channel_type: undefined }));
      expect(asMention).toEqual(asMessage);
    }
  });

  test("is addressed to the configured bot where the event names none", async () => {
    const event = message("<@U0CONFIGURED> hi", CHANNEL);
    const more = { authorizations: undefined };
    const known = await heard(event, { more, account: { botUserId: "U0CONFIGURED" } });
    expect(known).toMatchObject({ text: "hi", mentioned: true });
  });

  test("that mentions somebody is left to app_mention while it is not known who the bot is", async () => {
    const more = { authorizations: undefined };
    expect(await ignored(message("<@U0SOMEBODY> hi", CHANNEL), { more })).toContain("app_mention");
    const mention = message("<@U0SOMEBODY> hi", { ...CHANNEL, type: "app_mention" });
    expect(await heard(mention, { more })).toMatchObject({ mentioned: true });
    expect((await heard(message("hi all", CHANNEL), { more })).mentioned).toBe(false);
  });

  test("begins a thread of its own where replies are always sent in one", async () => {
    const account = { replyToMode: "all" } as const;
    const first = message(`<@${BOT_ID}> hi`, CHANNEL);
    expect((await heard(first, { account })).conversation.threadId).toBe("1799999999.000100");
    expect((await heard(first)).conversation.threadId).toBeUndefined();
    expect((await heard(message("hi all", CHANNEL), { account })).conversation.threadId).toBeUndefined();
    expect((await heard(message("hi"), { account })).conversation.threadId).toBeUndefined();
  });
});

test.each([
  ["D0LABDM0001", "direct"],
  ["G0LABMPIM1", "group"],
  ["C0LABCHAN1", "channel"],
])("a conversation %s is of the kind %s, in events as in addresses", async (channel, kind) => {
  expect((await heard(message("hi", { channel, channel_type: undefined }))).conversation.kind).toBe(kind);
  expect(slack.conversationOf?.(channel)).toEqual({ kind, id: channel });
});

test("a member's id is an address, too, and so is OpenClaw's form of one", () => {
  for (const address of ["U0LABADA01", "user:U0LABADA01"]) {
    expect(slack.conversationOf?.(address)).toEqual({ kind: "direct", id: "U0LABADA01" });
  }
  expect(slack.conversationOf?.("channel:C0LABCHAN1")).toEqual({ kind: "channel", id: "C0LABCHAN1" });
  for (const id of ["#general", "@ada", "c0labchan1", "C1", "C0LAB CHAN"]) {
    expect(slack.conversationOf?.(id), id).toBeUndefined();
  }
});

describe("what Slack says that is nothing for the agent", () => {
  test.each([
    ["the bot's own message, by its member id", message("hi", { ...CHANNEL, user: BOT_ID, bot_id: "B0ISOPOD" })],
    ["the app's own message, by the app's id", message("hi", { user: "U0OTHER", app_id: "A0ISOPOD" })],
    ["Slack's own words", message("archived", { user: "USLACK" })],
    ["a join", message("<@U0LABADA01> has joined", { ...CHANNEL, subtype: "channel_join" })],
    ["a message without content", message("")],
    ["a message of nobody", message("hi", { user: undefined })],
    ["a reaction", { type: "reaction_added", user: "U0LABADA01", reaction: "+1", item: { type: "message" } }],
    ["the opening of an assistant's thread", { type: "assistant_thread_started", assistant_thread: {} }],
    ["a new channel, which is no id", { type: "channel_created", channel: { id: "C1", name: "new" } }],
  ])("%s is answered, with the reason", async (_, event) => {
    expect(await ignored(event)).toMatch(/\S/);
  });
});

describe("another bot's message", () => {
  test("says that a bot wrote it, and reads what is beside its text", async () => {
    const beside = { attachments: [{ fallback: "Build &lt;7&gt; failed" }] };
    const bot = { subtype: "bot_message", user: undefined, bot_id: "B0OTHER", username: "ci", ...CHANNEL, ...beside };
    expect(await heard(message("", bot))).toMatchObject({
      sender: { id: "B0OTHER", name: "ci", isBot: true },
      text: "Build <7> failed",
    });
  });
});

describe("a change of a message", () => {
  const before = { type: "message", user: "U0LABADA01", text: "the words", ts: "1799999999.000100" };
  const change = (after: object, more: object = {}) => ({
    ...{ type: "message", subtype: "message_changed", hidden: true, ts: "1799999999.000900", ...CHANNEL },
    ...{ message: { ...before, ...after }, previous_message: before, ...more },
  });
  const edited = { edited: { user: "U0LABADA01", ts: "1799999999.000000" } };

  test("is an edit under the id of the message, and each edit has an id of its own", async () => {
    const edit = await heard(change({ text: "other words", ...edited }));
    expect(edit).toMatchObject({
      messageId: before.ts,
      text: "other words",
      edited: true,
      sender: { id: "U0LABADA01" },
    });
    expect(edit.dedupeId).toBe("C0LABCHAN1:1799999999.000100:1799999999.000000");
  });

  test("that adds a mention has the same id as its app_mention", async () => {
    const text = `<@${BOT_ID}> the words`;
    const edit = await heard(change({ text, ...edited }));
    expect(await heard(message(text, { type: "app_mention", ...CHANNEL, ...edited }))).toEqual(edit);
  });

  test("of the first message of a thread stays in the conversation of that message", async () => {
    const edit = await heard(change({ text: "other words", thread_ts: before.ts, ...edited }));
    expect(edit.conversation.threadId).toBeUndefined();
  });

  test("that changes no words is none: previews, replies and pins", async () => {
    expect(await ignored(change({ attachments: [{ fallback: "a preview" }] }))).toContain("no edit");
    const earlier = { previous_message: { ...before, ...edited } };
    expect(await ignored(change({ ...edited, attachments: [{ fallback: "a preview" }] }, earlier))).toContain(
      "no edit",
    );
    expect(await ignored(change({ user: BOT_ID, text: "mine", ...edited }))).toContain("own");
  });

  test("that leaves a tombstone is a deletion", async () => {
    expect(
      await only(change({ subtype: "tombstone", user: "USLACKBOT", text: "deleted", thread_ts: before.ts })),
    ).toEqual({
      kind: "deletion",
      dedupeId: "C0LABCHAN1:1799999999.000100:deleted",
      messageId: before.ts,
      sender: { id: "U0LABADA01" },
      conversation: { kind: "channel", id: "C0LABCHAN1", spaceId: "T0LABTEAM1" },
    });
  });
});

test("a deletion names the message, its author and its thread, and needs to know whose it was", async () => {
  const previous = {
    type: "message",
    user: "U0LABADA01",
    text: "oops",
    ts: "1799999998.000100",
    thread_ts: "1799999990.000100",
  };
  const event = {
    type: "message",
    subtype: "message_deleted",
    ts: "1799999999.000900",
    deleted_ts: previous.ts,
    ...CHANNEL,
  };
  expect(await only({ ...event, previous_message: previous })).toMatchObject({
    kind: "deletion",
    messageId: previous.ts,
    sender: { id: "U0LABADA01" },
    conversation: { id: "C0LABCHAN1", threadId: "1799999990.000100" },
  });
  expect(await ignored(event)).toContain("whose");
  expect(await ignored({ ...event, previous_message: { ...previous, user: BOT_ID } })).toContain("own");
});

describe("files of a message", () => {
  const shared = (...files: object[]) => message("look", { subtype: "file_share", files });

  test("are references to Slack's own servers, and to nothing else", async () => {
    const url = "https://files.slack.com/files-pri/T-F/download/x.pdf";
    const hosted = { id: "F0LAB1", name: "x.pdf", mimetype: "application/pdf", size: 7, url_private_download: url };
    const elsewhere = {
      id: "F0LAB2",
      title: "plan",
      mode: "hosted",
      url_private: "https://files.slack.com.evil.example/x",
    };
    const { attachments } = await heard(shared(hosted, elsewhere));
    expect(attachments).toEqual([
      { name: "x.pdf", mediaType: "application/pdf", size: 7, reference: { fileId: "F0LAB1", url } },
      { name: "plan", reference: { fileId: "F0LAB2" } },
    ]);
  });

  test("that are pages say so, since Slack answers with a page of its own where it refuses one", async () => {
    const { attachments } = await heard(shared({ id: "F0LAB5", name: "a.html", mimetype: "text/html" }));
    expect(attachments).toMatchObject([{ reference: { fileId: "F0LAB5", isPage: true } }]);
  });

  test("that are gone are left out, and those of other services are named with their address", async () => {
    const external = { id: "F0LAB3", title: "Budget", mode: "external", url_private: "https://docs.example/d/1" };
    const read = await heard(shared(external, { id: "F0LAB4", mode: "tombstone" }));
    expect(read).toMatchObject({ text: "look\n[file: Budget, https://docs.example/d/1]", attachments: [] });
  });
});

test("a passed-on message is quoted with its author, apart from the sender's own words", async () => {
  const attachments = [{ is_share: true, author_name: "Bob", text: "&lt;b&gt; by <@U0LABEVE01|eve>", fallback: "x" }];
  const read = await heard(message("see this", { attachments }));
  expect(read).toMatchObject({ text: "see this", quoted: { text: "<b> by @eve", senderName: "Bob" } });
  expect(await heard(message("", { attachments }))).toMatchObject({ text: "", quoted: { senderName: "Bob" } });
});

test("a pasted table is read, cell by cell", async () => {
  const rich = (text: string) => ({
    type: "rich_text",
    elements: [{ type: "rich_text_section", elements: [{ type: "text", text }] }],
  });
  const rows = [
    [rich("Name"), { type: "raw_text", text: "Count" }],
    [
      { type: "raw_text", text: "甲" },
      { type: "raw_number", value: 3 },
    ],
  ];
  const read = await heard(
    message("what is it?", { attachments: [{ fallback: "[no preview]", blocks: [{ type: "table", rows }] }] }),
  );
  expect(read.text).toBe("what is it?\nName | Count\n甲 | 3");
});
