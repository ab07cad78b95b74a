import type { FakeAnswer, FakePlatform, PlatformCall } from "./fake-platform.ts";

export const TWILIO_SID = `AC${"0".repeat(32)}`;
export const TWILIO_TOKEN = "twilio-auth-token-12345";
export const TWILIO_NUMBER = "+15558675310";
export const TWILIO_SERVICE = `MG${"1".repeat(32)}`;

/** Twilio's API: messages, media, numbers and messaging services. */
export const twilioServer: FakePlatform = {
  name: "sms",
  answer(call, memory) {
    if (call.headers.authorization !== `Basic ${btoa(`${TWILIO_SID}:${TWILIO_TOKEN}`)}`) {
      return twilioError(401, 20003, "Authenticate");
    }
    const [path = "", query = ""] = call.path.split("?");
    if (path === `v1/Services/${TWILIO_SERVICE}`) return service(call, memory);
    const own = `2010-04-01/Accounts/${TWILIO_SID}`;
    if (path === `${own}.json`)
      return { body: { sid: TWILIO_SID, friendly_name: "Isopod", status: "active", type: "Full" } };
    if (path === `${own}/Messages.json`) return sent(call, memory);
    if (path.startsWith(`${own}/Messages/`)) return { body: `contents of ${path.split("/").at(-1)}` };
    if (path.startsWith(`${own}/IncomingPhoneNumbers`)) return numbers(call, query, memory);
    return twilioError(404, 20404, "The requested resource was not found");
  },
};

/** An error as Twilio gives it. */
export function twilioError(status: number, code: number, message: string): FakeAnswer {
  const more_info = `https://www.twilio.com/docs/errors/${code}`;
  return { status, body: { code, message, more_info, status } };
}

function sent({ fields, headers }: PlatformCall, memory: Record<string, unknown>): FakeAnswer {
  const { To, From, MessagingServiceSid, Body, StatusCallback } = fields as Record<string, string | undefined>;
  if (!headers["content-type"]?.startsWith("application/x-www-form-urlencoded"))
    return twilioError(400, 20001, "No form");
  if (!/^(?:\+[1-9]\d{6,14}|\d{3,8})$/.test(To ?? ""))
    return twilioError(400, 21211, `Invalid 'To' Phone Number: ${To}`);
  if (MessagingServiceSid === undefined && From === undefined)
    return twilioError(400, 21603, "A 'From' phone number is required");
  if (MessagingServiceSid !== undefined && MessagingServiceSid !== TWILIO_SERVICE)
    return twilioError(404, 20404, "No such service");
  if (!Body) return twilioError(400, 21602, "Message body is required");
  if (Body.length > 1600)
    return twilioError(400, 21617, "The concatenated message body exceeds the 1600 character limit");
  if (StatusCallback !== undefined && !/^https?:\/\/[^/]+\./.test(StatusCallback)) {
    return twilioError(400, 21609, `Invalid 'StatusCallback' URL: ${StatusCallback}`);
  }
  const n = Number(memory.messages ?? 0) + 1;
  memory.messages = n;
  const sid = `SM${String(n).padStart(32, "0")}`;
  return {
    status: 201,
    body: { sid, status: "queued", to: To, from: From ?? null, error_code: null, error_message: null },
  };
}

function numbers({ method, fields }: PlatformCall, query: string, memory: Record<string, unknown>): FakeAnswer {
  if (method === "POST") memory.smsUrl = fields.SmsUrl;
  const number = {
    sid: `PN${"2".repeat(32)}`,
    phone_number: TWILIO_NUMBER,
    sms_url: memory.smsUrl ?? "https://demo.twilio.com/welcome/sms/reply",
    sms_method: "POST",
    capabilities: { sms: true, mms: true },
  };
  if (method === "POST") return { body: number };
  const isAsked = new URLSearchParams(query).get("PhoneNumber") === TWILIO_NUMBER;
  return { body: { incoming_phone_numbers: isAsked ? [number] : [] } };
}

function service({ method, fields }: PlatformCall, memory: Record<string, unknown>): FakeAnswer {
  if (method === "POST") memory.inboundUrl = fields.InboundRequestUrl;
  const inbound_request_url = memory.inboundUrl ?? null;
  const body = {
    sid: TWILIO_SERVICE,
    friendly_name: "Pool",
    inbound_request_url,
    inbound_method: "POST",
    use_inbound_webhook_on_number: false,
  };
  return { body };
}
