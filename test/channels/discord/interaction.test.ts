import { describe, expect, test } from "vitest";
import type { InboundMessage } from "../../../src/channels/channel.ts";
import { readInteraction } from "../../../src/channels/discord/interaction.ts";
import { readReplyToken, writeReplyToken } from "../../../src/channels/discord/reply-token.ts";
import { inServer, interaction, NOW } from "./test-app.ts";

function read(body: unknown): InboundMessage {
  const found = readInteraction(body, NOW);
  if (found.kind !== "message") throw new Error(`expected a message, got ${JSON.stringify(found)}`);
  return found.message;
}

/** What a command says. */
function said(data: object): InboundMessage {
  return read(interaction({ data: { id: "1", type: 1, ...data } }));
}

describe("a slash command", () => {
  test("is typed as people type it, with the values of its options and the names of subcommands", () => {
    expect(said({ name: "status" }).text).toBe("/status");
    expect(said({ name: "model", options: [{ name: "text", type: 3, value: "gpt" }] }).text).toBe("/model gpt");
    const options = [
      { name: "run", type: 2, options: [{ name: "now", type: 1, options: [{ name: "times", type: 4, value: 3 }] }] },
    ];
    expect(said({ name: "skill", options }).text).toBe("/skill run now 3");
  });

  test("`ask` is what the person says, and not a command", () => {
    expect(said({ name: "ask", options: [{ name: "text", type: 3, value: " 明天的天气 " }] }).text).toBe("明天的天气");
  });

  test("names people, channels and roles that were chosen", () => {
    const options = [
      { name: "who", type: 6, value: "7" },
      { name: "where", type: 7, value: "8" },
      { name: "which", type: 8, value: "9" },
      { name: "any", type: 9, value: "404" },
    ];
    const resolved = {
      users: { 7: { id: "7", username: "bob", global_name: "Bob" } },
      members: { 7: { nick: "Bobby" } },
      channels: { 8: { name: "general" } },
      roles: { 9: { name: "Friends" } },
    };
    expect(said({ name: "tell", options, resolved }).text).toBe("/tell @Bobby #general @Friends @404");
  });

  test("brings its file as an attachment that is downloaded later", () => {
    const file = {
      id: "7",
      filename: "a.png",
      size: 12,
      url: "https://cdn.discordapp.com/a.png",
      content_type: "image/png",
    };
    const options = [
      { name: "text", type: 3, value: "Look" },
      { name: "file", type: 11, value: "7" },
    ];
    expect(said({ name: "ask", options, resolved: { attachments: { 7: file } } })).toMatchObject({
      text: "Look",
      attachments: [{ name: "a.png", size: 12, mediaType: "image/png", reference: { url: file.url } }],
    });
  });
});

describe("a command of a context menu", () => {
  test("on a message quotes it, with its author and files", () => {
    const messages = {
      66: {
        id: "66",
        content: "some words",
        author: { id: "7", username: "bob" },
        attachments: [{ filename: "b.txt", size: 1, url: "https://cdn.discordapp.com/b.txt" }],
      },
    };
    const message = said({ name: "Explain this message", type: 3, target_id: "66", resolved: { messages } });
    expect(message).toMatchObject({
      text: "Explain this message",
      quoted: { text: "some words", senderName: "bob" },
      attachments: [{ name: "b.txt" }],
    });
  });

  test("on a person names the person", () => {
    const users = { 7: { id: "7", username: "bob" } };
    expect(said({ name: "Greet", type: 2, target_id: "7", resolved: { users } }).text).toBe("Greet @bob");
  });
});

test("a form says what was entered into its fields, wherever they are nested", () => {
  const components = [
    { type: 1, components: [{ type: 4, custom_id: "a", value: "first" }] },
    { type: 18, component: { type: 3, custom_id: "b", values: ["x", "y"] } },
    { type: 10, content: "a heading" },
  ];
  expect(read(interaction({ type: 5, data: { custom_id: "form", components } })).text).toBe("first\nx\ny");
});

describe("the place of an interaction", () => {
  test("is direct with the bot alone, and a group among people", () => {
    expect(read(interaction()).conversation).toEqual({ kind: "direct", id: "8842" });
    expect(read(interaction({ context: 2 })).conversation).toEqual({ kind: "group", id: "8842" });
    const channel = { id: "8842", type: 3, name: "Friends" };
    expect(read(interaction({ context: 2, channel })).conversation).toMatchObject({ kind: "group", title: "Friends" });
  });

  test("is a channel in a server, with the channel of a thread, but not its category", () => {
    expect(read(inServer()).conversation).toEqual({ kind: "channel", id: "501", title: "general", spaceId: "500" });
    const text = { id: "501", type: 0, name: "general", parent_id: "4" };
    expect(read(inServer({ channel: text })).conversation).not.toHaveProperty("parentId");
    const thread = { id: "502", type: 11, name: "a thread", parent_id: "501" };
    expect(read(inServer({ channel_id: "502", channel: thread })).conversation).toMatchObject({
      id: "502",
      parentId: "501",
    });
  });
});

test("a person is called as the server shows them", () => {
  const user = { id: "7", username: "bob", global_name: "Bob" };
  expect(read(inServer({ member: { user, nick: "Bobby" } })).sender).toEqual({
    id: "7",
    name: "Bobby",
    username: "bob",
  });
  expect(read(inServer({ member: { user, nick: null } })).sender.name).toBe("Bob");
});

test("what is neither documented nor complete is told apart from what is only new", () => {
  expect(readInteraction({ type: 99 }, NOW)).toMatchObject({ kind: "ignored" });
  expect(readInteraction({ type: 2, id: "1" }, NOW)).toMatchObject({ kind: "invalid" });
  const { channel_id: _, ...nowhere } = interaction();
  expect(readInteraction(nowhere, NOW)).toMatchObject({ kind: "ignored" });
});

test("the token of an interaction is read as it was written, and no other text is one", () => {
  const token = { applicationId: "1000", token: "aW50.x-y_z", isAwaited: true, cameAt: NOW };
  expect(readReplyToken(writeReplyToken(token))).toEqual(token);
  expect(readReplyToken(writeReplyToken({ ...token, isAwaited: false }))).toMatchObject({ isAwaited: false });
  for (const text of [undefined, "", "aW50.x", "awaited 1 x y"]) expect(readReplyToken(text)).toBeUndefined();
});
