import { z } from "zod";
import { sanitizeForPrompt } from "../../security/sanitize.ts";
import { settingValue } from "../account-fields.ts";
import type { ChannelFinding, ConnectOptions } from "../channel.ts";
import { type Credentials, credentials, type SmsContext, senderOf, settingsMissing } from "./account.ts";
import { accountUrl, callTwilio, type TwilioAnswer } from "./twilio-api.ts";
import { codeInWords } from "./twilio-error.ts";

const accountFields = z.object({ friendly_name: z.string(), status: z.string(), type: z.string().optional() });
const numbers = z.object({
  incoming_phone_numbers: z.array(
    z.object({
      sid: z.string(),
      phone_number: z.string(),
      sms_url: z.string().nullish(),
      sms_method: z.string().nullish(),
      capabilities: z.object({ sms: z.boolean().optional() }).optional(),
    }),
  ),
});
const service = z.object({
  friendly_name: z.string(),
  inbound_request_url: z.string().nullish(),
  inbound_method: z.string().nullish(),
  use_inbound_webhook_on_number: z.boolean().optional(),
});

/** Who gets messages, and where Twilio takes them. */
interface Receiver {
  /** For people: the number, or the name of the messaging service. */
  name: string;
  /** The address of its resource, and what sets its webhook there. */
  url: string;
  fields(webhookUrl: string): Record<string, string>;
  calls: string;
  method: string;
}

/** Checks an account's settings, its password, and which address Twilio calls. */
export async function checkAccount(
  context: SmsContext,
  webhookUrl: string,
  signal: AbortSignal,
): Promise<ChannelFinding[]> {
  const found = credentials(context);
  if (found === undefined || senderOf(context) === undefined) return [missing(context)];
  const [answer, receiver] = await Promise.all([
    callTwilio(context, found, { url: accountUrl(context, found) }, signal),
    findReceiver(context, found, signal),
  ]);
  const known = answer.kind === "ok" ? accountFields.safeParse(answer.json).data : undefined;
  if (known === undefined) return [problem(answer)];
  const expected = context.account.webhookUrl ?? webhookUrl;
  return [...aboutAccount(known), "status" in receiver ? receiver : aboutWebhook(receiver, expected)];
}

function missing({ account }: SmsContext): ChannelFinding {
  const fix = `Copy them from Twilio's console: wrangler secret put ${account.authToken.id}, and so on.`;
  return { status: "fail", message: settingsMissing(account), fix };
}

function aboutAccount({ friendly_name: name, status, type }: z.output<typeof accountFields>): ChannelFinding[] {
  if (status !== "active") {
    return [{ status: "fail", message: `Twilio has ${printable(status)} the account.`, fix: "See Twilio's console." }];
  }
  const known: ChannelFinding = { status: "ok", message: `the account is ${printable(name)}.` };
  if (type !== "Trial") return [known];
  const fix = "Upgrade it, or verify the numbers of those who write.";
  return [known, { status: "warn", message: "a trial account writes only to verified numbers.", fix }];
}

/** The messaging service or number of an account, as Twilio knows it; else what is wrong. */
async function findReceiver(
  context: SmsContext,
  found: Credentials,
  signal: AbortSignal,
): Promise<Receiver | ChannelFinding> {
  const { account } = context;
  const serviceSid = settingValue(account.messagingServiceSid, context);
  if (serviceSid) {
    const url = `${account.messagingApiBase.replace(/\/+$/, "")}/v1/Services/${encodeURIComponent(serviceSid)}`;
    const answer = await callTwilio(context, found, { url }, signal);
    const known = answer.kind === "ok" ? service.safeParse(answer.json).data : undefined;
    if (known === undefined) return problem(answer);
    const isOnNumbers = known.use_inbound_webhook_on_number ?? false;
    return {
      ...{ name: `the service ${printable(known.friendly_name)}`, url },
      calls: isOnNumbers ? "" : (known.inbound_request_url ?? ""),
      method: known.inbound_method ?? "POST",
      fields: (address) => ({ InboundRequestUrl: address, InboundMethod: "POST", UseInboundWebhookOnNumber: "false" }),
    };
  }
  const number = settingValue(account.from, context) ?? "";
  const list = `${accountUrl(context, found, "/IncomingPhoneNumbers")}?PhoneNumber=${encodeURIComponent(number)}`;
  const answer = await callTwilio(context, found, { url: list }, signal);
  if (answer.kind !== "ok") return problem(answer);
  const known = numbers.safeParse(answer.json).data?.incoming_phone_numbers.find((one) => one.phone_number === number);
  if (known === undefined) {
    const fix = "Compare the number with Phone numbers, Active numbers in Twilio's console.";
    return { status: "fail", message: `the account does not own ${printable(number)}.`, fix };
  }
  return {
    ...{ name: printable(number), url: accountUrl(context, found, `/IncomingPhoneNumbers/${known.sid}`) },
    calls: known.sms_url ?? "",
    method: known.sms_method ?? "POST",
    fields: (address) => ({ SmsUrl: address, SmsMethod: "POST" }),
  };
}

function aboutWebhook({ name, calls, method }: Receiver, expected: string): ChannelFinding {
  const fix = `Set "A message comes in" of ${name} to Webhook, ${expected}, HTTP POST.`;
  if (calls === expected && method === "POST")
    return { status: "ok", message: `Twilio calls this Worker for ${name}.` };
  if (calls === expected)
    return { status: "fail", message: `Twilio calls this Worker with ${printable(method)}.`, fix };
  if (calls === "") return { status: "fail", message: `Twilio calls nowhere for ${name}.`, fix };
  if (!expected.startsWith("https:")) {
    const message = `Twilio cannot call ${expected}, and calls elsewhere for ${name}.`;
    return { status: "warn", message, fix: "Deploy, or use an https tunnel, and check that address." };
  }
  return { status: "warn", message: `Twilio calls another address for ${name}, ${printable(calls)}.`, fix };
}

/** The finding for a failed call. */
function problem(answer: TwilioAnswer): ChannelFinding {
  if (answer.kind === "refused" && answer.code !== undefined) {
    const fix = "Compare the settings with Twilio's console.";
    return { status: "fail", message: `Twilio refuses: ${codeInWords(answer.code, answer.description)}`, fix };
  }
  const why =
    answer.kind === "ok" ? "its answer cannot be read" : answer.kind === "refused" ? answer.description : answer.reason;
  return {
    status: "warn",
    message: `Twilio does not answer: ${why}.`,
    fix: "Try again in a moment, and check apiBase.",
  };
}

/** The address that Twilio sets for new numbers. */
const DEMO = /^https:\/\/demo\.twilio\.com\//;

/** Points the number or the messaging service to this Worker. */
export async function connectAccount(
  context: SmsContext,
  { webhookUrl, takeOver }: ConnectOptions,
  signal: AbortSignal,
): Promise<ChannelFinding[]> {
  const found = credentials(context);
  if (found === undefined || senderOf(context) === undefined) return [missing(context)];
  const receiver = await findReceiver(context, found, signal);
  if ("status" in receiver) return [receiver];
  const address = context.account.webhookUrl ?? webhookUrl;
  const isElsewhere = receiver.calls !== "" && receiver.calls !== address && !DEMO.test(receiver.calls);
  if (isElsewhere && !takeOver) {
    const message = `Twilio calls another address for ${receiver.name}, ${printable(receiver.calls)}.`;
    return [{ status: "warn", message, fix: "Connect again, and take it over." }];
  }
  const answer = await callTwilio(context, found, { url: receiver.url, form: receiver.fields(address) }, signal);
  if (answer.kind !== "ok") return [problem(answer)];
  return [{ status: "ok", message: `Twilio calls ${address} for ${receiver.name} from now on.` }];
}

function printable(text: string): string {
  return sanitizeForPrompt(text).slice(0, 200);
}
