import { describe, expect, test } from "vitest";
import type { Button, Delivery, OutboundFile, OutboundPart } from "../../../src/channels/channel.ts";
import { whatsapp } from "../../../src/channels/whatsapp/whatsapp.ts";
import { closedAt } from "../../../src/channels/whatsapp/window.ts";
import { graphError, WHATSAPP_TOKEN } from "../../fakes/platforms/whatsapp.ts";
import { ADA, makeNumber, NUMBER_ID, type TestNumber } from "./test-number.ts";

function send(number: TestNumber, part: Partial<OutboundPart> = {}): Promise<Delivery> {
  const whole = { target: number.target, text: "hello", deliveryId: "dlv_1", ...part };
  return whatsapp.send(whole, number.context, AbortSignal.timeout(2_000));
}

function sendFile(number: TestNumber, file: Partial<OutboundFile>): Promise<Delivery> | undefined {
  const bytes = new Uint8Array([1, 2, 3]);
  const whole = {
    target: number.target,
    deliveryId: "dlv_1",
    name: "a.pdf",
    mediaType: "application/pdf",
    bytes,
    asVoice: false,
    ...file,
  };
  return whatsapp.sendFile?.(whole, number.context, AbortSignal.timeout(2_000));
}

async function bodies(number: TestNumber): Promise<Record<string, any>[]> {
  return (await number.place.calls(`${NUMBER_ID}/messages`)).map(({ fields }) => fields);
}

const CLOSED = graphError(400, 131047, "(#131047) Re-engagement message");

describe("requests to WhatsApp", () => {
  test("a part is a text without preview, with the delivery's id", async () => {
    const number = makeNumber();
    expect(await send(number)).toEqual({ outcome: "delivered", externalId: "wamid.SENT1" });
    const [call] = await number.place.calls();
    expect(call?.headers.authorization).toBe(`Bearer ${WHATSAPP_TOKEN}`);
    expect(call?.fields).toEqual({
      messaging_product: "whatsapp",
      recipient_type: "individual",
      to: ADA,
      type: "text",
      text: { body: "hello", preview_url: false },
      biz_opaque_callback_data: "dlv_1",
    });
  });

  test("a native reply names its message; people who hide their number, and groups, have fields of their own", async () => {
    const number = makeNumber();
    await send(number, { target: { ...number.target, replyToId: "wamid.IN1" } });
    await send(number, { target: { ...number.target, conversationId: "US.134912" } });
    await send(number, { target: { ...number.target, kind: "group", conversationId: "GROUP1" } });
    const [reply, hidden, group] = await bodies(number);
    expect(reply).toMatchObject({ to: ADA, context: { message_id: "wamid.IN1" } });
    expect(hidden).toMatchObject({ recipient_type: "individual", recipient: "US.134912" });
    expect(hidden).not.toHaveProperty("to");
    expect(group).toMatchObject({ recipient_type: "group", to: "GROUP1" });
  });

  test("typing marks the message that is answered as read, and is not shown without one", async () => {
    const number = makeNumber();
    await whatsapp.typing?.({ target: number.target }, number.context);
    await whatsapp.typing?.({ target: { ...number.target, replyToId: "wamid.IN1" } }, number.context);
    expect(await bodies(number)).toEqual([
      { messaging_product: "whatsapp", status: "read", message_id: "wamid.IN1", typing_indicator: { type: "text" } },
    ]);
  });
});

describe("buttons below a WhatsApp message", () => {
  const button = (n: number, label = `Choice ${n}`): Button => ({ label, says: `/approve ab${n} allow-once` });
  const shown = async (buttons: Button[], text = "May I?") => {
    const number = makeNumber();
    expect(await send(number, { text, buttons: [buttons] })).toMatchObject({ outcome: "delivered" });
    return (await bodies(number))[0]!;
  };

  test("up to three are buttons whose titles fit and differ", async () => {
    const { interactive } = await shown([
      button(1, "a label that is much too long"),
      button(2, "a label that is much too long 2"),
    ]);
    expect(interactive.type).toBe("button");
    const replies = interactive.action.buttons.map(({ reply }: any) => reply);
    expect(replies).toEqual([
      { id: "/approve ab1 allow-once", title: "a label that is much" },
      { id: "/approve ab2 allow-once", title: "a label that is m 2" },
    ]);
  });

  test("more of them, or more text than buttons may stand under, are a list", async () => {
    const many = await shown([1, 2, 3, 4].map((n) => button(n)));
    expect(many.interactive).toMatchObject({
      type: "list",
      action: { sections: [{ rows: [{ title: "Choice 1" }, {}, {}, {}] }] },
    });
    const long = await shown([button(1)], "x".repeat(1025));
    expect(long.interactive).toMatchObject({ type: "list", body: { text: "x".repeat(1025) } });
  });

  test("what fits into no button is left out", async () => {
    const { type } = await shown([{ label: "Long", says: "x".repeat(300) }]);
    expect(type).toBe("text");
  });
});

describe("a message to someone who has not written for 24 hours", () => {
  const reopen = (name: string, parameter?: string) => ({
    templates: { reopen: { name, ...(parameter && { parameter }) } },
  });

  test("fails with words for what to do, without a template", async () => {
    const number = makeNumber();
    await number.place.script(CLOSED);
    expect(await send(number)).toMatchObject({
      outcome: "failed",
      reason: expect.stringContaining("templates.reopen"),
    });
    expect(await bodies(number)).toHaveLength(1);
  });

  test("goes out in the template's variable, on one line", async () => {
    for (const [name, parameter, more] of [
      ["reopen_first", "1", {}],
      ["reopen_named", "message", { parameter_name: "message" }],
    ] as const) {
      const number = makeNumber(reopen(name, parameter));
      await number.place.script(CLOSED);
      const delivery = await send(number, { text: "Wake up:\n\n\tit      is late" });
      expect(delivery).toMatchObject({ outcome: "delivered", externalId: "wamid.SENT1" });
      expect((await bodies(number))[1]?.template).toEqual({
        name,
        language: { code: "en_US" },
        components: [{ type: "body", parameters: [{ type: "text", text: "Wake up: it is late", ...more }] }],
      });
    }
  });

  test("goes out as the template at once where the platform has said before that it is closed", async () => {
    const number = makeNumber(reopen("reopen_first", "1"));
    const via = closedAt(number.context.now());
    expect(await send(number, { target: { ...number.target, via } })).toMatchObject({ outcome: "delivered" });
    expect((await bodies(number)).map(({ type }) => type)).toEqual(["template"]);
    const later = { ...number, context: { ...number.context, now: () => number.context.now() + 60_000 } };
    expect(await send(later, { target: { ...number.target, via } })).toMatchObject({ outcome: "delivered" });
    expect((await bodies(number)).map(({ type }) => type)).toEqual(["template", "text"]);
  });

  test("counts as failed, with the reason, as far as the template does not carry it", async () => {
    const cases: [object, Partial<OutboundPart>, string][] = [
      [reopen("reopen_plain"), {}, "does not carry it"],
      [reopen("reopen_first", "1"), { text: "word ".repeat(300) }, "carries only its beginning"],
    ];
    for (const [account, part, reason] of cases) {
      const number = makeNumber(account);
      await number.place.script(CLOSED);
      expect(await send(number, part)).toMatchObject({ outcome: "failed", reason: expect.stringContaining(reason) });
      expect(await bodies(number)).toHaveLength(2);
    }
    const number = makeNumber(reopen("reopen_first", "1"));
    await number.place.script({ ...CLOSED, path: "messages" });
    expect(await sendFile(number, {})).toMatchObject({
      outcome: "failed",
      reason: expect.stringContaining("does not carry"),
    });
  });

  test("is one template for all parts of a reply", async () => {
    const number = makeNumber(reopen("reopen_first", "1"));
    await number.place.script(CLOSED);
    expect(await send(number)).toMatchObject({ outcome: "delivered" });
    await number.place.script(CLOSED);
    expect(await send(number)).toMatchObject({ outcome: "failed", reason: expect.stringContaining("shortly before") });
    expect((await bodies(number)).filter(({ type }) => type === "template")).toHaveLength(1);
  });

  test("fails with words where the template is not as it is configured", async () => {
    for (const account of [reopen("unknown"), reopen("reopen_first")]) {
      const number = makeNumber(account);
      await number.place.script(CLOSED);
      expect(await send(number)).toMatchObject({
        outcome: "failed",
        reason: expect.stringContaining("WhatsApp Manager"),
      });
    }
  });
});

describe("a refusal by WhatsApp", () => {
  test("for sending too fast is tried again, whatever its status", async () => {
    for (const code of [130429, 131056, 80007]) {
      const number = makeNumber();
      await number.place.script(graphError(400, code, "Too fast"));
      expect(await send(number)).toMatchObject({ outcome: "retry", afterMs: 10_000 });
    }
  });

  test("for good says what it means and what to do", async () => {
    const reasons: [status: number, code: number, reason: RegExp][] = [
      [400, 131026, /has blocked this one/],
      [400, 130472, /experiment/],
      [400, 131051, /type of message/],
      [401, 190, /set WHATSAPP_ACCESS_TOKEN to a new one/],
      [403, 10, /whatsapp_business_messaging/],
      [400, 131030, /test number/],
      [400, 131042, /payment/],
      [400, 999_999, /WhatsApp refused the message.*999999: Something/],
    ];
    for (const [status, code, reason] of reasons) {
      const number = makeNumber();
      await number.place.script(graphError(status, code, "Something"));
      expect(await send(number)).toMatchObject({ outcome: "failed", reason: expect.stringMatching(reason) });
    }
  });

  test("with an unknown token says so, and never repeats it", async () => {
    const number = makeNumber({}, { WHATSAPP_ACCESS_TOKEN: "EAAG-expired-token" });
    const delivery = await send(number);
    expect(delivery).toMatchObject({ outcome: "failed", reason: expect.stringContaining("WHATSAPP_ACCESS_TOKEN") });
    await number.place.script(graphError(400, 100, "EAAG-expired-token is wrong"));
    expect(JSON.stringify(await send(number))).not.toContain("EAAG-expired-token");
  });
});

describe("a file to WhatsApp", () => {
  test("is uploaded and sent as what WhatsApp shows best", async () => {
    const kinds: [Partial<OutboundFile>, type: string, fields: object][] = [
      [{ mediaType: "image/png", name: "a.png" }, "image", { id: "900001" }],
      [{ mediaType: "video/mp4", name: "a.mp4" }, "video", { id: "900001" }],
      [{ mediaType: "audio/ogg", name: "a.ogg", asVoice: true }, "audio", { id: "900001", voice: true }],
      [{ mediaType: "audio/mpeg", name: "a.mp3", asVoice: true }, "audio", { id: "900001" }],
      [{ mediaType: "application/pdf" }, "document", { id: "900001", filename: "a.pdf" }],
      [{ mediaType: "text/markdown", name: "reply.md" }, "document", { id: "900001", filename: "reply.md" }],
      [{ mediaType: "application/json", name: "a.json" }, "document", { id: "900001", filename: "a.json" }],
      [
        { mediaType: "image/png", name: "a.png", bytes: new Uint8Array(5 * 1024 * 1024 + 1) },
        "document",
        { id: "900001", filename: "a.png" },
      ],
    ];
    for (const [file, type, fields] of kinds) {
      const number = makeNumber();
      expect(await sendFile(number, file), file.mediaType).toMatchObject({ outcome: "delivered" });
      expect((await bodies(number))[0]).toMatchObject({ type, [type]: fields });
    }
  });

  test("that WhatsApp does not take fails, and says what it takes", async () => {
    const number = makeNumber();
    const zip = await sendFile(number, { mediaType: "application/zip", name: "a.zip" });
    expect(zip).toMatchObject({ outcome: "failed", reason: expect.stringMatching(/application\/zip.*PDF/) });
    expect(await number.place.calls()).toEqual([]);
  });

  test("whose upload is lost is tried again, since no message was sent", async () => {
    const number = makeNumber();
    await number.place.script({ path: "media", cut: "after" });
    expect(await sendFile(number, {})).toMatchObject({ outcome: "retry" });
    await number.place.script({ path: "media", status: 500, body: {} });
    expect(await sendFile(number, {})).toMatchObject({ outcome: "retry" });
    await number.place.script({ path: "messages", cut: "after" });
    expect(await sendFile(number, {})).toMatchObject({ outcome: "unsure" });
  });
});

describe("a file of a WhatsApp message", () => {
  const open = (number: TestNumber) =>
    whatsapp.openAttachment?.({ mediaId: "815" }, number.context, AbortSignal.timeout(2_000));

  test("is had only from Meta's hosts, so that the token goes nowhere else", async () => {
    for (const url of ["https://evil.example/x", "https://fbsbx.com.evil.example/x", "http://lookaside.fbsbx.com/x"]) {
      const number = makeNumber();
      const asked: string[] = [];
      number.context.fetch = (input, init) => {
        asked.push(String(input));
        return fetch(input, init);
      };
      await number.place.script({ body: { url } });
      await expect(open(number)).rejects.toMatchObject({
        code: "unavailable",
        message: expect.stringContaining("Meta"),
      });
      expect(asked).toEqual([`${number.place.url}/815`]);
    }
  });

  test("that Meta does not give any more says so", async () => {
    const number = makeNumber();
    await number.place.script(graphError(400, 100, "(#100) Media 815 has expired"));
    await expect(open(number)).rejects.toMatchObject({ message: expect.stringContaining("has expired") });
  });
});

describe("setting WhatsApp up", () => {
  const webhookUrl = "https://isopod.test/channels/whatsapp/default/webhook";
  const signal = AbortSignal.timeout(5_000);
  const check = (number: TestNumber) => whatsapp.check?.(number.context, webhookUrl, signal);
  const connect = (number: TestNumber, takeOver = false) =>
    whatsapp.connect?.(number.context, { webhookUrl, takeOver }, signal);

  test("the check names the number and the address that Meta calls", async () => {
    const findings = await check(makeNumber());
    expect(findings).toMatchObject([
      { status: "ok", message: expect.stringContaining("+1 555-000-1111 (Isopod)") },
      {
        status: "warn",
        message: expect.stringContaining("https://old.example/webhook"),
        fix: expect.stringContaining(webhookUrl),
      },
    ]);
  });

  test("the check names each variable that is missing, and an expired token", async () => {
    const texts = async (secrets: Record<string, string | undefined>) =>
      JSON.stringify(await check(makeNumber({}, secrets)));
    expect(await texts({ WHATSAPP_APP_SECRET: undefined })).toContain("WHATSAPP_APP_SECRET");
    expect(await texts({ WHATSAPP_VERIFY_TOKEN: undefined })).toContain("WHATSAPP_VERIFY_TOKEN");
    expect(await texts({ WHATSAPP_PHONE_NUMBER_ID: undefined })).toContain("WHATSAPP_PHONE_NUMBER_ID");
    expect(await texts({ WHATSAPP_ACCESS_TOKEN: "EAAG-old" })).toContain("has expired or was revoked");
  });

  test("connecting points the number to this Worker and subscribes the app, and may be repeated", async () => {
    const number = makeNumber({ businessAccountId: "300000000000003" });
    expect(await connect(number)).toMatchObject([
      { status: "ok" },
      { status: "ok", message: expect.stringContaining(webhookUrl) },
    ]);
    const calls = await number.place.calls();
    expect(calls.map(({ method, path }) => `${method} ${path.split("?")[0]}`)).toEqual([
      `GET ${NUMBER_ID}`,
      "POST 300000000000003/subscribed_apps",
      `POST ${NUMBER_ID}`,
    ]);
    expect(calls[2]?.fields).toEqual({
      webhook_configuration: { override_callback_uri: webhookUrl, verify_token: "whatsapp-verify-token" },
    });
    expect(await connect(number)).toMatchObject([
      { status: "ok" },
      { status: "ok", message: "Meta calls this Worker." },
    ]);
    expect(await check(number)).toMatchObject([{ status: "ok" }, { status: "ok", message: "Meta calls this Worker." }]);
  });

  test("connecting replaces an address of another server only when it is told to", async () => {
    const number = makeNumber();
    const elsewhere = { webhookUrl: "https://other.example/hook", takeOver: true };
    await whatsapp.connect?.(number.context, elsewhere, signal);
    expect(await connect(number)).toMatchObject([
      { status: "warn", message: expect.stringContaining("https://other.example/hook") },
    ]);
    expect(await connect(number, true)).toMatchObject([{ status: "ok" }]);
  });
});

test("a number is known with and without its plus sign", () => {
  const { account } = makeNumber({ allowFrom: ["+15550002222", "whatsapp:+15550002223", "@ada"] }).context;
  expect(whatsapp.access(account).allowFrom).toEqual(["15550002222", "whatsapp:15550002223", "@ada"]);
  expect(whatsapp.conversationOf?.("+15550002222")).toEqual({ kind: "direct", id: "15550002222" });
  expect(whatsapp.conversationOf?.("US.13491208655302741918")).toEqual({
    kind: "direct",
    id: "US.13491208655302741918",
  });
  expect(whatsapp.conversationOf?.("Ada")).toBeUndefined();
});
