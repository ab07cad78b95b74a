import { describe, expect, test } from "vitest";
import type { InboundMessage, ReceiveResult } from "../../../src/channels/channel.ts";
import { sms } from "../../../src/channels/sms/sms.ts";
import { digestOf } from "../../../src/lib/digest.ts";
import { TWILIO_NUMBER } from "../../fakes/platforms/sms.ts";
import { ADA, eventsOf, makeAccount, messageFields, signature, signedForm, WEBHOOK } from "./test-account.ts";

async function messageWith(more: Record<string, string>): Promise<InboundMessage> {
  const [event] = eventsOf(await makeAccount().take(messageFields(more)));
  if (event?.kind !== "message") throw new Error("expected a message");
  return event;
}

function statusOf(result: ReceiveResult): number {
  return result.kind === "refused" ? result.response.status : 200;
}

describe("Twilio's signature", () => {
  const taken = async (url: string, signedUrl: string, account: object = {}, more: object = {}) => {
    const { context } = makeAccount(account);
    return statusOf(await sms.receive(await signedForm(messageFields(), { url, signedUrl }), { ...context, ...more }));
  };

  test("covers the public address, with and without the usual port, and its query", async () => {
    const seen = "http://10.0.0.1:8787/channels/sms/default/webhook";
    expect(await taken(seen, WEBHOOK)).toBe(200);
    expect(await taken(seen, WEBHOOK.replace(".example", ".example:443"))).toBe(200);
    expect(await taken(`${seen}?a=1`, `${WEBHOOK}?a=1`)).toBe(200);
    expect(await taken(`${seen}?a=1`, WEBHOOK)).toBe(401);
    expect(await taken(seen, WEBHOOK.replace("isopod", "other"))).toBe(401);
  });

  test("covers the address that the account names, and then no other", async () => {
    const webhookUrl = "https://proxy.example/sms";
    expect(await taken(WEBHOOK, webhookUrl, { webhookUrl })).toBe(200);
    expect(await taken(`${WEBHOOK}?a=1`, `${webhookUrl}?a=1`, { webhookUrl })).toBe(200);
    expect(await taken(WEBHOOK, WEBHOOK, { webhookUrl })).toBe(401);
    expect(await taken(WEBHOOK, webhookUrl.replace("https", "http"), { webhookUrl })).toBe(401);
  });

  test("covers what the Worker sees where nothing else is named, also behind a proxy that ends TLS", async () => {
    const seen = "http://tunnel.example/channels/sms/default/webhook";
    const unnamed = { publicUrl: undefined };
    expect(await taken(seen, seen, {}, unnamed)).toBe(200);
    expect(await taken(seen, seen.replace("http:", "https:"), {}, unnamed)).toBe(200);
  });

  test("covers a query whose special characters are escaped", async () => {
    expect(await taken(`${WEBHOOK}?a=it's*(1)`, `${WEBHOOK}?a=it's*(1)`)).toBe(200);
    expect(await taken(`${WEBHOOK}?a=b:c@d`, `${WEBHOOK}?a=b%3Ac%40d`)).toBe(200);
  });

  test("covers the fields of a form in order, each value once", async () => {
    const fields = "MessageSid=SM1&From=%2B1&To=%2B2&Body=%E4%BD%A0%E5%A5%BD+%2B+1&b=2&b=1&b=2&B=3";
    const data = `${WEBHOOK}B3Body你好 + 1From+1MessageSidSM1To+2b1b2`;
    const headers = { "X-Twilio-Signature": await signature(data) };
    const request = new Request(WEBHOOK, { method: "POST", headers, body: fields });
    expect(statusOf(await sms.receive(request, makeAccount().context))).toBe(200);
  });

  test("covers any other body by its digest in the address", async () => {
    const post = async (body: string, signed = body) => {
      const url = `${WEBHOOK}?bodySHA256=${await digestOf("SHA-256", new TextEncoder().encode(signed))}`;
      const headers = { "Content-Type": "application/json", "X-Twilio-Signature": await signature(url) };
      return statusOf(await sms.receive(new Request(url, { method: "POST", headers, body }), makeAccount().context));
    };
    expect(await post('{"a": 1}')).toBe(400);
    expect(await post('{"a": 2}', '{"a": 1}')).toBe(401);
  });
});

describe("an SMS", () => {
  test("has numbers for ids, and is answered from the number that was written to", async () => {
    expect(await messageWith({ Body: "Hi\nthere" })).toEqual({
      kind: "message",
      dedupeId: "SM00000000000000000000000000000001",
      messageId: "SM00000000000000000000000000000001",
      text: "Hi\nthere",
      sender: { id: ADA },
      conversation: { kind: "direct", id: ADA },
      mentioned: true,
      attachments: [],
      via: TWILIO_NUMBER,
    });
  });

  test("with pictures has them as files", async () => {
    const media = { NumMedia: "2", MediaUrl0: "https://api.twilio.com/ME1", MediaContentType0: "image/jpeg" };
    const { text, attachments } = await messageWith({
      ...{ Body: "", ...media, MediaUrl1: "https://api.twilio.com/ME2", MediaContentType1: "text/x-vcard" },
    });
    expect(text).toBe("");
    expect(attachments).toEqual([
      { name: "media-1.jpg", mediaType: "image/jpeg", reference: { url: "https://api.twilio.com/ME1" } },
      { name: "media-2.vcf", mediaType: "text/x-vcard", reference: { url: "https://api.twilio.com/ME2" } },
    ]);
  });

  test("gets TwiML without an instruction, once it is stored", async () => {
    const result = await makeAccount().take(messageFields());
    if (result.kind !== "events") throw new Error(result.kind);
    const response = result.answer?.([{ kind: "accepted" }]);
    expect(response?.headers.get("Content-Type")).toBe("text/xml");
    expect(await response?.text()).toBe("<Response/>");
  });

  test("with a word that Twilio answers by itself is left to Twilio", async () => {
    for (const more of [
      { Body: "STOP" },
      { Body: " stop " },
      { Body: "Help" },
      { Body: "Arrêt", OptOutType: "STOP" },
    ]) {
      const result = await makeAccount().take(messageFields(more));
      expect(result).toMatchObject({ kind: "answered", reason: expect.stringContaining("Twilio answers") });
      expect(result.kind === "answered" && (await result.response?.text())).toBe("<Response/>");
    }
    expect((await messageWith({ Body: "Please stop" })).text).toBe("Please stop");
    expect((await messageWith({ Body: "/stop" })).text).toBe("/stop");
    expect((await messageWith({ Body: "YES" })).text).toBe("YES");
  });

  test("of another network of Twilio's, or without content, is answered with the reason", async () => {
    for (const more of [{ From: "whatsapp:+15017122661" }, { Body: "" }]) {
      expect((await makeAccount().take(messageFields(more))).kind).toBe("answered");
    }
  });
});

describe("the status of an SMS", () => {
  const receipt = async (fields: Record<string, string>, url?: string) => {
    const { Body: _, ...rest } = messageFields({ From: TWILIO_NUMBER, To: ADA, ...fields });
    return eventsOf(await makeAccount().take(rest, url))[0];
  };

  test("is a receipt once it is delivered, and nothing while it is under way", async () => {
    expect(await receipt({ MessageStatus: "delivered" })).toEqual({
      kind: "receipt",
      externalId: "SM00000000000000000000000000000001",
      conversation: { kind: "direct", id: ADA },
      outcome: "delivered",
    });
    for (const MessageStatus of ["queued", "sending", "sent"]) expect(await receipt({ MessageStatus })).toBeUndefined();
  });

  test("that failed says why, what to do, and of which delivery", async () => {
    const failed = { MessageStatus: "undelivered", ErrorCode: "30034", ErrorMessage: "Unregistered number" };
    expect(await receipt(failed, `${WEBHOOK}?delivery=dlv_7`)).toMatchObject({
      outcome: "failed",
      deliveryId: "dlv_7",
      reason: expect.stringMatching(/A2P 10DLC.*\(30034: Unregistered number\)/),
    });
    expect(await receipt({ MessageStatus: "failed" })).toMatchObject({ reason: "Twilio could not deliver it." });
  });
});
