import { describe, expect, test } from "vitest";
import type { InboundMessage } from "../../../src/channels/channel.ts";
import { line } from "../../../src/channels/line/line.ts";
import { ADA, callOf, eventOf, eventsOf, GROUP, makeAccount, NOW, signedCall, textEvent } from "./test-account.ts";

const IN_GROUP = { type: "group", groupId: GROUP, userId: ADA };

async function messageOf(event: object): Promise<InboundMessage> {
  const [found] = eventsOf(await makeAccount().take(event));
  if (found?.kind !== "message") throw new Error("expected a message");
  return found;
}

function content(message: object): object {
  return eventOf({ message: { id: "3257", ...message } });
}

describe("a LINE message", () => {
  test("has the event's id for deduplication, also when it is delivered again, and a token that answers it for a while", async () => {
    const event = textEvent("Hi", { quoteToken: "q1" });
    const again = { ...event, deliveryContext: { isRedelivery: true } };
    const { webhookEventId: dedupeId } = event as { webhookEventId: string };
    for (const one of [event, again]) {
      expect(await messageOf(one)).toEqual({
        kind: "message",
        dedupeId,
        messageId: "3257",
        text: "Hi",
        sender: { id: ADA },
        conversation: { kind: "direct", id: ADA },
        mentioned: true,
        attachments: [],
        replyToken: { value: "token", expiresAt: NOW + 50_000 },
        via: "3257 q1",
      });
    }
  });

  test("in a group or room addresses the account only by a mention of it", async () => {
    const mention = (...mentionees: object[]) => ({ mention: { mentionees } });
    const said = (text: string, more: object = {}, source: object = IN_GROUP) =>
      messageOf(textEvent(text, more, source));
    expect(await said("Hi all")).toMatchObject({ mentioned: false, conversation: { kind: "group", id: GROUP } });
    const own = { index: 0, length: 7, type: "user", userId: "U1", isSelf: true };
    expect(await said("@Isopod /status", mention(own))).toMatchObject({ mentioned: true, text: "/status" });
    const bob = { index: 0, length: 4, type: "user", userId: "U2", isSelf: false };
    const later = { ...own, index: 5 };
    expect(await said("@Bob @Isopod hi", mention(bob, later))).toMatchObject({
      mentioned: true,
      text: "@Bob @Isopod hi",
    });
    expect(await said("@Bob hi", mention(bob))).toMatchObject({ mentioned: false, text: "@Bob hi" });
    expect(await said("@All hi", mention({ index: 0, length: 4, type: "all" }))).toMatchObject({ mentioned: false });
    const room = { type: "room", roomId: `R${"1".repeat(32)}`, userId: ADA };
    expect(await said("Hi", {}, room)).toMatchObject({ conversation: { kind: "group", id: room.roomId } });
  });

  test("of a member of a group who is not known is the group's", async () => {
    expect(await messageOf(textEvent("Hi", {}, { type: "group", groupId: GROUP }))).toMatchObject({
      sender: { id: GROUP },
    });
  });

  test("names the message that it quotes", async () => {
    expect(await messageOf(textEvent("Yes", { quotedMessageId: "3256" }))).toMatchObject({ replyToId: "3256" });
  });

  test("without words is described", async () => {
    const place = { type: "location", title: "Office", address: "Tokyo", latitude: 35.65, longitude: 139.7 };
    const sticker = {
      type: "sticker",
      packageId: "1",
      stickerId: "2",
      keywords: ["Bye", "Goodbye", "c", "d", "e", "f"],
    };
    expect((await messageOf(content(place))).text).toBe("[location: Office, Tokyo, 35.65, 139.7]");
    expect((await messageOf(content(sticker))).text).toBe("[sticker: Bye, Goodbye, c, d, e]");
    expect((await messageOf(content({ ...sticker, keywords: undefined }))).text).toBe("[sticker]");
  });

  test("has its file, and pictures of one set are one message", async () => {
    const picture = { type: "image", contentProvider: { type: "line" }, imageSet: { id: "SET1", index: 1, total: 2 } };
    expect(await messageOf(content(picture))).toMatchObject({
      groupId: "SET1",
      attachments: [{ name: "image.jpg", mediaType: "image/jpeg", reference: { messageId: "3257", type: "image" } }],
    });
    const file = { type: "file", fileName: "a.pdf", fileSize: 2138 };
    expect((await messageOf(content(file))).attachments).toEqual([
      { name: "a.pdf", size: 2138, reference: { messageId: "3257", type: "file" } },
    ]);
  });

  test("is what a pressed button says", async () => {
    const pressed = eventOf({ type: "postback", replyToken: "token", postback: { data: "/approve ab12 allow-once" } });
    expect(await messageOf(pressed)).toMatchObject({ text: "/approve ab12 allow-once", mentioned: true });
  });

  test("that was changed is a new version of it", async () => {
    const edited = { ...textEvent("New", {}, IN_GROUP), type: "messageEdited" };
    expect(await messageOf(edited)).toMatchObject({ edited: true, messageId: "3257", text: "New" });
  });

  test("that was unsent is a deletion", async () => {
    const [deletion] = eventsOf(
      await makeAccount().take(eventOf({ type: "unsend", unsend: { messageId: "3257" } }, IN_GROUP)),
    );
    expect(deletion).toMatchObject({
      kind: "deletion",
      messageId: "3257",
      sender: { id: ADA },
      conversation: { id: GROUP },
    });
  });
});

describe("a call of LINE's", () => {
  test("may bring several events, of which those of no interest are left out", async () => {
    const joined = eventOf({ type: "join", replyToken: "token" }, { type: "group", groupId: GROUP });
    const result = await makeAccount().take(textEvent("One"), joined, { type: "broken" }, textEvent("Two"));
    expect(eventsOf(result).map((event) => event.kind === "message" && event.text)).toEqual(["One", "Two"]);
  });

  test("without anything for the agent is answered, with the reason", async () => {
    const reasons: [object[], RegExp][] = [
      [[], /no events/],
      [[eventOf({ type: "follow", replyToken: "token", follow: { isUnblocked: false } })], /type follow/],
      [[eventOf({ type: "join" }, { type: "group", groupId: GROUP })], /type join/],
      [[eventOf({ type: "something new" })], /something new/],
      [[{ ...textEvent("Hi"), mode: "standby" }], /standby/],
      [[content({ type: "hologram" })], /type hologram/],
      [[{ type: "message" }], /cannot be read/],
    ];
    for (const [events, reason] of reasons) {
      expect(await makeAccount().take(...events)).toMatchObject({
        kind: "answered",
        reason: expect.stringMatching(reason),
      });
    }
  });

  test("is refused with a signature over another body", async () => {
    const { context } = makeAccount();
    const genuine = await signedCall(callOf(textEvent("Hi")));
    const body = `${await genuine.clone().text()} `;
    const result = await line.receive(new Request(genuine, { body }), context);
    expect(result.kind === "refused" && result.response.status).toBe(401);
  });
});
