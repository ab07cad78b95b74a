import { z } from "zod";
import { callPlatform, type PlatformAnswer, type PlatformRequest } from "../platform-call.ts";
import type { Credentials, SmsContext } from "./account.ts";

const refusal = z.object({ code: z.int(), message: z.string().default("") });

type Refused = Extract<PlatformAnswer, { kind: "refused" }>;

/** The answer to a request. `code` is Twilio's own, which a proxy that answers in its place does not give. */
export type TwilioAnswer = Exclude<PlatformAnswer, Refused> | (Refused & { code?: number });

/** A request to Twilio; a body is sent as a form. */
export interface TwilioRequest extends Pick<PlatformRequest, "url"> {
  form?: Record<string, string>;
}

/** Calls Twilio once: GET, or POST with a form. Never throws. */
export async function callTwilio(
  context: SmsContext,
  credentials: Credentials,
  { url, form }: TwilioRequest,
  signal: AbortSignal,
): Promise<TwilioAnswer> {
  const headers = { Authorization: basicAuthorization(credentials) };
  const secrets = [credentials.authToken, headers.Authorization];
  const request = form === undefined ? ({ method: "GET" } as const) : { body: new URLSearchParams(form) };
  const answer = await callPlatform(context, { url, headers, secrets, ...request }, signal);
  const said = answer.kind === "refused" ? refusal.safeParse(answer.json).data : undefined;
  return said === undefined || answer.kind !== "refused" ? answer : { ...answer, code: said.code };
}

/** The address of a resource of the account. */
export function accountUrl({ account }: SmsContext, { accountSid }: Credentials, path = ""): string {
  return `${account.apiBase.replace(/\/+$/, "")}/2010-04-01/Accounts/${accountSid}${path}.json`;
}

/** The header that requests and downloads are made with. */
export function basicAuthorization({ accountSid, authToken }: Credentials): string {
  return `Basic ${btoa(`${accountSid}:${authToken}`)}`;
}
