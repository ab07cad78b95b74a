import { describe, expect, test } from "vitest";
import type { Addressed, OutboundPart, Target } from "../../../src/channels/channel.ts";
import { discord } from "../../../src/channels/discord/discord.ts";
import { writeReplyToken } from "../../../src/channels/discord/reply-token.ts";
import { opusFile } from "../../fakes/media-bytes.ts";
import { makeApp, NOW } from "./test-app.ts";

const channel: Target = { channel: "discord", accountId: "default", kind: "channel", conversationId: "501" };
const signal = new AbortController().signal;
const ID = "dlv_01k5nabcdefghijklmnopqrstuv";

type App = ReturnType<typeof makeApp>;

function send({ context }: App, part: Partial<OutboundPart> = {}) {
  return discord.send({ target: channel, text: "Hello", deliveryId: ID, ...part }, context, signal);
}

/** A destination with the token of an interaction. */
function answering(token: string, { isAwaited = true, cameAt = NOW } = {}): Addressed {
  return { target: channel, token: writeReplyToken({ applicationId: "1000", token, isAwaited, cameAt }) };
}

/** The Worker's first answer to an interaction. */
async function acknowledge({ place }: App, token: string, answer: object) {
  const headers = { "Content-Type": "application/json", "User-Agent": "DiscordBot (test, 1)" };
  const init = { method: "POST", headers, body: JSON.stringify(answer) };
  await fetch(`${place.url}/interactions/1/${token}/callback`, init).then((response) => response.text());
}

describe("a message of the bot", () => {
  test("calls nobody, shows no previews, and has an id by which Discord drops a second one", async () => {
    const app = makeApp();
    const [first, second] = [await send(app), await send(app)];
    expect(second).toEqual(first);
    const [call] = await app.place.calls("channels/501/messages");
    expect(call?.fields).toEqual({
      content: "Hello",
      flags: 4,
      allowed_mentions: { parse: [], replied_user: false },
      nonce: ID.slice(-25),
      enforce_nonce: true,
    });
    expect(call?.headers["user-agent"]).toMatch(/^DiscordBot \(/);
  });

  test("answers a message natively where it is asked to, also if that message is gone", async () => {
    const app = makeApp();
    await send(app, { target: { ...channel, replyToId: "1400" } });
    await send(app, { target: { ...channel, replyToId: "not a number" }, deliveryId: "dlv_other" });
    const [answer, other] = await app.place.calls("messages");
    expect(answer?.fields.message_reference).toEqual({ message_id: "1400", fail_if_not_exists: false });
    expect(other?.fields).not.toHaveProperty("message_reference");
  });

  test("has buttons that say what they stand for, within Discord's limits", async () => {
    const app = makeApp();
    const row = Array.from({ length: 7 }, (_, n) => ({
      label: `Choice ${n}`,
      says: n === 6 ? "x".repeat(150) : `/say ${n}`,
    }));
    expect(await send(app, { buttons: [row, [{ label: "Again", says: "/say 0" }]] })).toMatchObject({
      outcome: "delivered",
    });
    const [call] = await app.place.calls("messages");
    const rows = call?.fields.components as { components: { custom_id: string }[] }[];
    expect(rows.map(({ components }) => components.length)).toEqual([5, 2]);
    expect(rows[1]?.components[1]?.custom_id).toBe("x".repeat(100));
  });

  test("to a person opens their direct channel first, once", async () => {
    const app = makeApp();
    const person: Target = { ...channel, kind: "direct", conversationId: "431" };
    await send(app, { target: person });
    await send(app, { target: person, deliveryId: "dlv_other" });
    expect((await app.place.calls("users/@me/channels")).map(({ fields }) => fields)).toEqual([
      { recipient_id: "431" },
    ]);
    expect(await app.place.calls("channels/88431/messages")).toHaveLength(2);
  });

  test("in a direct channel that is known goes there", async () => {
    const app = makeApp();
    await send(app, { target: { ...channel, kind: "direct", conversationId: "8842", peerId: "42" } });
    expect(await app.place.calls("users/@me/channels")).toEqual([]);
    expect(await app.place.calls("channels/8842/messages")).toHaveLength(1);
  });
});

describe("an answer to an interaction", () => {
  test("takes the place of thinking, and the next ones follow it", async () => {
    const app = makeApp();
    await acknowledge(app, "t1", { type: 5 });
    expect(await send(app, { ...answering("t1"), text: "One" })).toMatchObject({ outcome: "delivered" });
    await send(app, { ...answering("t1"), text: "Two" });
    const calls = await app.place.calls("webhooks/1000/t1");
    expect(calls.map(({ method, fields }) => `${method} ${fields.content ?? ""}`)).toEqual([
      "GET ",
      "PATCH One",
      "POST Two",
    ]);
    expect(calls.every(({ headers }) => headers.authorization === undefined)).toBe(true);
  });

  test("to a pressed button follows its message", async () => {
    const app = makeApp();
    await acknowledge(app, "t2", { type: 6 });
    await send(app, answering("t2", { isAwaited: false }));
    expect((await app.place.calls("webhooks/1000/t2")).map(({ method }) => method)).toEqual(["POST"]);
  });

  test("waits until Discord has the first one, and is the bot's own message if it never has", async () => {
    const app = makeApp();
    const sending = send(app, answering("t3"));
    while ((await app.place.calls("webhooks/1000/t3")).length === 0) await new Promise((next) => setTimeout(next, 5));
    await acknowledge(app, "t3", { type: 5 });
    expect(await sending).toMatchObject({ outcome: "delivered", externalId: "t3-original" });
    expect(await send(app, answering("t4"))).toMatchObject({ outcome: "delivered" });
    expect(await app.place.calls("channels/501/messages")).toHaveLength(1);
  });

  test("is the bot's own message at once when its token has run out", async () => {
    const app = makeApp();
    expect(await send(app, answering("t5", { cameAt: NOW - 16 * 60_000 }))).toMatchObject({ outcome: "delivered" });
    expect(await app.place.calls("webhooks/1000/t5")).toHaveLength(1);
    expect(await app.place.calls("channels/501/messages")).toHaveLength(1);
  });

  test("is tried again if Discord does not tell whether it waits, since nothing was sent", async () => {
    const app = makeApp();
    await acknowledge(app, "t6", { type: 5 });
    await app.place.script({ cut: "after", path: "webhooks" });
    expect(await send(app, answering("t6"))).toMatchObject({ outcome: "retry" });
    await app.place.script({ status: 500, path: "webhooks" });
    expect(await send(app, answering("t6"))).toMatchObject({ outcome: "retry" });
  });

  test("has no typing beside it, and no reaction", async () => {
    const app = makeApp();
    await discord.typing?.(answering("t7"), app.context);
    const reaction = { ...answering("t7"), messageId: "5", emoji: "👀" };
    expect(await discord.reactions?.react(reaction, app.context, signal)).toEqual({ outcome: "delivered" });
    expect(await app.place.calls()).toEqual([]);
  });

  test("that there is not leaves nothing: thinking is taken away, and what has been said stays", async () => {
    const app = makeApp();
    await acknowledge(app, "t8", { type: 5 });
    await discord.unanswered?.(answering("t8"), app.context);
    await acknowledge(app, "t9", { type: 5 });
    await send(app, answering("t9"));
    await discord.unanswered?.(answering("t9"), app.context);
    const methods = async (token: string) =>
      (await app.place.calls(`webhooks/1000/${token}`)).map(({ method }) => method);
    expect(await methods("t8")).toEqual(["GET", "DELETE"]);
    expect(await methods("t9")).toEqual(["GET", "PATCH"]);
  });
});

test("a file is sent with the same care as a text", async () => {
  const app = makeApp();
  const file = { name: "a.txt", mediaType: "text/plain", bytes: new Uint8Array([97, 98]), asVoice: false };
  await discord.sendFile?.({ target: channel, deliveryId: ID, ...file }, app.context, signal);
  const [call] = await app.place.calls("messages");
  expect(call?.fields["files[0]"]).toEqual({ name: "a.txt", type: "text/plain", size: 2 });
  expect(JSON.parse(String(call?.fields.payload_json))).toMatchObject({
    attachments: [{ id: 0, filename: "a.txt" }],
    allowed_mentions: { parse: [] },
    enforce_nonce: true,
  });
});

describe("a voice note", () => {
  const file = { name: "speech.ogg", mediaType: "audio/ogg", bytes: opusFile(2.5), asVoice: true };
  const sendNote = (app: App, deliveryId: string, more: object = {}) =>
    discord.sendFile?.({ target: channel, deliveryId, ...file, ...more }, app.context, signal);
  const payloads = async (app: App) =>
    (await app.place.calls("messages")).map(({ fields }) => JSON.parse(String(fields.payload_json)));

  test("is sent as a voice message with its length", async () => {
    const app = makeApp();
    expect(await sendNote(app, ID)).toMatchObject({ outcome: "delivered" });
    expect(await payloads(app)).toMatchObject([
      { flags: 8192, attachments: [{ id: 0, duration_secs: 2.5, waveform: expect.stringMatching(/^A+=*$/) }] },
    ]);
  });

  test("is a file where the bot may send no voice messages, and where it is no Opus", async () => {
    const app = makeApp();
    const message = "You cannot send voice messages in this channel";
    await app.place.script({ status: 403, body: { code: 50173, message } });
    expect(await sendNote(app, ID)).toMatchObject({ outcome: "delivered" });
    await sendNote(app, `${ID}2`, { name: "a.mp3", mediaType: "audio/mpeg", bytes: new Uint8Array([73, 68, 51]) });
    const [asVoice, ...plain] = await payloads(app);
    expect(asVoice).toMatchObject({ flags: 8192 });
    expect(plain).toHaveLength(2);
    for (const one of plain) expect([one.flags, one.attachments[0].waveform]).toEqual([undefined, undefined]);
  });
});

describe("reactions", () => {
  test("of the bot are set, and all of them removed", async () => {
    const app = makeApp();
    const react = (emoji: string) =>
      discord.reactions?.react({ target: channel, messageId: "5", emoji }, app.context, signal);
    expect(await react("👍")).toEqual({ outcome: "delivered" });
    expect(await react("<:wave:123>")).toEqual({ outcome: "delivered" });
    expect(await react("")).toEqual({ outcome: "delivered" });
    const made = (await app.place.calls("reactions")).map(
      ({ method, path }) => `${method} ${decodeURIComponent(path)}`,
    );
    expect(made).toEqual([
      "PUT channels/501/messages/5/reactions/👍/@me",
      "PUT channels/501/messages/5/reactions/wave:123/@me",
      "DELETE channels/501/messages/5/reactions/👍/@me",
    ]);
  });

  test("with what is no emoji say so", async () => {
    const failed = await discord.reactions?.react(
      { target: channel, messageId: "5", emoji: "nope" },
      makeApp().context,
      signal,
    );
    expect(failed).toMatchObject({ outcome: "failed", reason: expect.stringContaining("does not know this emoji") });
  });
});

describe("a refusal says what it means and what to do", () => {
  const cases: [status: number, code: number, words: string][] = [
    [403, 50001, "View Channel"],
    [403, 50013, "View Channel"],
    [403, 50007, "privacy settings"],
    [404, 10003, "its id is wrong"],
    [400, 50083, "archived"],
    [400, 200000, "AutoMod"],
    [413, 40005, "larger"],
    [401, 0, "DISCORD_BOT_TOKEN"],
    [400, 99999, "Discord refused the message: Something new"],
  ];

  test.each(cases)("status %i with code %i: %s", async (status, code, words) => {
    const app = makeApp();
    await app.place.script({ status, body: { message: "Something new", code } });
    expect(await send(app)).toMatchObject({ outcome: "failed", reason: expect.stringContaining(words) });
  });

  test("a person who cannot be written to fails before anything is sent", async () => {
    const app = makeApp();
    const failed = await send(app, { target: { ...channel, kind: "direct", conversationId: "404" } });
    expect(failed).toMatchObject({
      outcome: "failed",
      reason: expect.stringContaining("cannot be written to directly"),
    });
  });

  test("Discord's own delay counts, to the millisecond", async () => {
    const app = makeApp();
    await app.place.script({
      status: 429,
      headers: { "Retry-After": "65" },
      body: { message: "x", retry_after: 64.57 },
    });
    expect(await send(app)).toMatchObject({ outcome: "retry", afterMs: 64_570 });
  });
});

test("a bare id is a channel's, and a person's is named so", () => {
  expect(discord.conversationOf?.("501")).toEqual({ kind: "channel", id: "501" });
  expect(discord.conversationOf?.("channel:501")).toEqual({ kind: "channel", id: "501" });
  expect(discord.conversationOf?.("user:42")).toEqual({ kind: "direct", id: "42" });
  expect(discord.conversationOf?.("#general")).toBeUndefined();
});
