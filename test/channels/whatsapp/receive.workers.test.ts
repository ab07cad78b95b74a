import { describe, expect, test } from "vitest";
import type { InboundMessage } from "../../../src/channels/channel.ts";
import { whatsapp } from "../../../src/channels/whatsapp/whatsapp.ts";
import { ADA, eventsOf, makeNumber, messageOf, NUMBER_ID, notificationOf, OWN_NUMBER } from "./test-number.ts";

/** The one message that a change with these fields brings. */
async function messageWith(fields: object, from?: string): Promise<InboundMessage> {
  const [event, ...others] = eventsOf(await makeNumber().take(messageOf(fields, from)));
  if (event?.kind !== "message" || others.length > 0) throw new Error("expected one message");
  return event;
}

function statusOf(fields: object) {
  return { statuses: [{ id: "wamid.SENT1", timestamp: "1800000000", recipient_id: ADA, ...fields }] };
}

describe("the check of a WhatsApp webhook's address", () => {
  const check = (query: Record<string, string>, number = makeNumber()) => {
    const url = `https://isopod.example/channels/whatsapp/default/webhook?${new URLSearchParams(query)}`;
    return whatsapp.receive(new Request(url), number.context);
  };
  const right = { "hub.mode": "subscribe", "hub.verify_token": "whatsapp-verify-token", "hub.challenge": "<b>1</b>" };

  test("gives the challenge back as plain text", async () => {
    const result = await check(right);
    if (result.kind !== "answered") throw new Error(result.kind);
    expect(await result.response?.text()).toBe("<b>1</b>");
    expect(result.response?.headers.get("Content-Type")).toMatch(/^text\/plain/);
  });

  test("is refused with 403 for another word, for none, and while none is set", async () => {
    const { "hub.verify_token": _, ...without } = right;
    const results = [
      await check({ ...right, "hub.verify_token": "wrong" }),
      await check(without),
      await check({ ...right, "hub.mode": "unsubscribe" }),
      await check({ ...right, "hub.verify_token": "" }, makeNumber({}, { WHATSAPP_VERIFY_TOKEN: "" })),
    ];
    for (const result of results) expect(result.kind === "refused" && result.response.status).toBe(403);
  });
});

describe("a WhatsApp message", () => {
  test("has its author's number as id, with the name of the profile", async () => {
    expect(await messageWith({ type: "text", text: { body: "Hi" } })).toEqual({
      kind: "message",
      dedupeId: "wamid.IN1",
      messageId: "wamid.IN1",
      text: "Hi",
      sender: { id: ADA, name: "Ada" },
      conversation: { kind: "direct", id: ADA },
      mentioned: true,
      attachments: [],
    });
  });

  test("of someone who hides the number has Meta's id of them, and their username", async () => {
    const contacts = [{ profile: { name: "Bob", username: "@bob" }, user_id: "US.134912" }];
    const text = { id: "wamid.IN2", from_user_id: "US.134912", type: "text", text: { body: "Hi" } };
    const [event] = eventsOf(await makeNumber().take({ contacts, messages: [text] }));
    expect(event).toMatchObject({
      sender: { id: "US.134912", name: "Bob", username: "bob" },
      conversation: { kind: "direct", id: "US.134912" },
    });
  });

  test("that answers another names it, and one that is passed on is someone else's words", async () => {
    const answer = { type: "text", text: { body: "Yes" }, context: { from: OWN_NUMBER, id: "wamid.OUT1" } };
    expect(await messageWith(answer)).toMatchObject({ text: "Yes", replyToId: "wamid.OUT1" });
    const forwarded = { type: "text", text: { body: "Obey" }, context: { forwarded: true } };
    expect(await messageWith(forwarded)).toMatchObject({ text: "", quoted: { text: "Obey" } });
  });

  test("without words is described", async () => {
    const place = { latitude: 37.46, longitude: -122.21, name: "HQ", address: "1 Hacker Way" };
    const cards = [
      { name: { formatted_name: "Eve" }, phones: [{ phone: "+1 666" }], emails: [{ email: "e@x.example" }] },
    ];
    const items = [{ product_retailer_id: "SODA", quantity: 2, item_price: 10, currency: "ILS" }];
    const described: [object, string][] = [
      [{ type: "location", location: place }, "[location: HQ, 1 Hacker Way, 37.46, -122.21]"],
      [{ type: "contacts", contacts: cards }, "[contact: Eve, +1 666, e@x.example]"],
      [{ type: "order", order: { text: "Soon", product_items: items } }, "Soon\n[order: 2 × SODA at 10 ILS]"],
    ];
    for (const [fields, text] of described) expect((await messageWith(fields)).text).toBe(text);
  });

  test("has the file that it shows, with its caption", async () => {
    const file = (mime_type: string, more: object = {}) => ({ id: "815", sha256: "x", mime_type, ...more });
    const kinds: [object, object, string][] = [
      [
        { type: "image", image: file("image/jpeg", { caption: "Look" }) },
        { name: "image.jpg", mediaType: "image/jpeg" },
        "Look",
      ],
      [
        { type: "audio", audio: file("audio/ogg", { voice: true }), context: { forwarded: true } },
        { name: "voice.ogg", mediaType: "audio/ogg" },
        "",
      ],
      [{ type: "video", video: file("video/mp4") }, { name: "video.mp4", mediaType: "video/mp4" }, ""],
      [
        { type: "audio", audio: file("audio/ogg; codecs=opus", { voice: true }) },
        { name: "voice.ogg", mediaType: "audio/ogg", isVoice: true },
        "",
      ],
      [
        { type: "document", document: file("application/pdf", { filename: "a b.pdf" }) },
        { name: "a b.pdf", mediaType: "application/pdf" },
        "",
      ],
      [{ type: "sticker", sticker: file("image/webp") }, { name: "sticker.webp", mediaType: "image/webp" }, ""],
    ];
    for (const [fields, attachment, text] of kinds) {
      const message = await messageWith(fields);
      expect(message.attachments).toEqual([{ ...attachment, reference: { mediaId: "815" } }]);
      expect(message.text).toBe(text);
    }
  });

  test("that is a pressed button or a choice says what the button says", async () => {
    const reply = { id: "/approve ab12 allow-once", title: "Allow once" };
    for (const pressed of [
      { type: "interactive", interactive: { type: "button_reply", button_reply: reply } },
      { type: "interactive", interactive: { type: "list_reply", list_reply: reply } },
      { type: "button", button: { payload: reply.id, text: reply.title } },
    ]) {
      expect((await messageWith(pressed)).text).toBe("/approve ab12 allow-once");
    }
    expect((await messageWith({ type: "button", button: { text: "Stop" } })).text).toBe("Stop");
  });

  test("in a group addresses the agent when it answers the number or names it", async () => {
    const group = { group_id: "GROUP1" };
    const said = (body: string, more: object = {}) => messageWith({ ...group, type: "text", text: { body }, ...more });
    expect(await said("Hi all")).toMatchObject({ mentioned: false, conversation: { kind: "group", id: "GROUP1" } });
    expect(await said(`@${OWN_NUMBER} /status`)).toMatchObject({ mentioned: true, text: "/status" });
    expect(await said("Yes", { context: { from: OWN_NUMBER, id: "wamid.OUT1" } })).toMatchObject({ mentioned: true });
    expect(await said("Yes", { context: { from: "15557770000", id: "wamid.X" } })).toMatchObject({ mentioned: false });
  });

  test("that was changed or taken back is under the id of the first", async () => {
    const edit = { original_message_id: "wamid.IN1", message: { type: "text", text: { body: "New" } } };
    expect(await messageWith({ id: "wamid.EDIT1", type: "edit", edit })).toMatchObject({
      dedupeId: "wamid.EDIT1",
      messageId: "wamid.IN1",
      edited: true,
      text: "New",
    });
    const revoked = messageOf({ id: "wamid.REV1", type: "revoke", revoke: { original_message_id: "wamid.IN1" } });
    const [deletion] = eventsOf(await makeNumber().take(revoked));
    expect(deletion).toMatchObject({
      kind: "deletion",
      dedupeId: "wamid.REV1",
      messageId: "wamid.IN1",
      sender: { id: ADA },
    });
  });

  test("of no interest is answered, with the reason", async () => {
    const unsupported = {
      type: "unsupported",
      errors: [{ code: 131051, error_data: { details: "It is not supported." } }],
    };
    const reasons: [object, RegExp][] = [
      [messageOf({ type: "reaction", reaction: { message_id: "wamid.OUT1", emoji: "👍" } }), /type reaction/],
      [
        messageOf({ type: "system", system: { body: "Ada has a new number", type: "user_changed_number" } }),
        /type system/,
      ],
      [messageOf(unsupported), /type unsupported: It is not supported\./],
      [messageOf({ type: "interactive" }), /type interactive/],
      [{ messages: [{ type: "text" }] }, /cannot be read/],
      [{ errors: [{ code: 130429, title: "Rate limit hit" }] }, /Rate limit hit/],
    ];
    for (const [value, reason] of reasons) {
      expect(await makeNumber().take(value)).toMatchObject({ kind: "answered", reason: expect.stringMatching(reason) });
    }
  });
});

describe("a call of Meta's with several changes", () => {
  const post = async (body: object, number = makeNumber()) =>
    whatsapp.receive(await number.signed(JSON.stringify(body)), number.context);

  test("brings all of the account's number in order, and nothing of another number of the app", async () => {
    const text = (id: string) => messageOf({ id, type: "text", text: { body: id } });
    const own = ["wamid.A", "wamid.B"].map((id) => notificationOf(text(id)) as { entry: object[] });
    const other = notificationOf(text("wamid.C"), "200000000000002") as { entry: object[] };
    const all = { object: "whatsapp_business_account", entry: [...own, other].flatMap(({ entry }) => entry) };
    const ids = eventsOf(await post(all)).map((event) => event.kind === "message" && event.messageId);
    expect(ids).toEqual(["wamid.A", "wamid.B"]);
    expect(await post(other)).toMatchObject({ kind: "answered", reason: expect.stringContaining("200000000000002") });
  });

  test("is refused with 503 while the account has no number, so that Meta sends it again", async () => {
    const number = makeNumber({}, { WHATSAPP_PHONE_NUMBER_ID: undefined });
    const result = await post(notificationOf(messageOf({ type: "text", text: { body: "Hi" } })), number);
    expect(result.kind === "refused" && result.response.status).toBe(503);
  });

  test("of another field is answered", async () => {
    const change = { field: "message_template_status_update", value: { event: "APPROVED" } };
    const body = { object: "whatsapp_business_account", entry: [{ id: NUMBER_ID, changes: [change] }] };
    expect(await post(body)).toMatchObject({ kind: "answered", reason: expect.stringContaining("template_status") });
  });
});

describe("the status of a WhatsApp message", () => {
  const receipt = async (fields: object, account: object = {}) =>
    eventsOf(await makeNumber(account).take(statusOf(fields)))[0];

  test("is a receipt once it is delivered, read or played", async () => {
    for (const [status, outcome] of [
      ["delivered", "delivered"],
      ["read", "read"],
      ["played", "read"],
    ]) {
      expect(await receipt({ status })).toMatchObject({ kind: "receipt", externalId: "wamid.SENT1", outcome });
    }
    expect(await receipt({ status: "sent" })).toBeUndefined();
  });

  test("that failed says why, what to do, and of which delivery", async () => {
    const errors = [
      { code: 131026, title: "Message undeliverable", error_data: { details: "Message Undeliverable." } },
    ];
    expect(await receipt({ status: "failed", errors, biz_opaque_callback_data: "dlv_7" })).toEqual({
      kind: "receipt",
      externalId: "wamid.SENT1",
      deliveryId: "dlv_7",
      conversation: { kind: "direct", id: ADA },
      outcome: "failed",
      reason: expect.stringMatching(/has blocked this one.*131026: Message Undeliverable/),
    });
  });

  test("that failed because the conversation is closed asks for the template, where the account has one", async () => {
    const errors = [{ code: 131047, title: "Re-engagement message" }];
    const closed = await receipt({ status: "failed", errors });
    expect(closed).toMatchObject({ reason: expect.stringContaining("templates.reopen") });
    expect(closed).not.toHaveProperty("resendVia");
    const reopen = { name: "reopen_first", parameter: "1" };
    expect(await receipt({ status: "failed", errors }, { templates: { reopen } })).toHaveProperty("resendVia");
  });
});
