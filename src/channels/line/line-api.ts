import { z } from "zod";
import { callPlatform, type PlatformAnswer, type PlatformRequest } from "../platform-call.ts";
import type { LineAccount, LineContext } from "./account.ts";

/** A request to the Messaging API. */
export interface LineRequest extends Pick<PlatformRequest, "method" | "body" | "headers"> {
  /** From `/v2` on. */
  path: string;
}

/** Calls the Messaging API once. Never throws. */
export function callLine(
  context: LineContext,
  token: string,
  { path, headers = {}, ...request }: LineRequest,
  signal: AbortSignal,
): Promise<PlatformAnswer> {
  const url = `${context.account.apiBase.replace(/\/+$/, "")}${path}`;
  const authorized = { ...headers, Authorization: `Bearer ${token}` };
  return callPlatform(context, { url, headers: authorized, ...request, secrets: [token] }, signal);
}

const problem = z.object({ details: z.array(z.object({ message: z.string().optional() })).default([]) });

const MAX_PROBLEM_CHARS = 300;

/** What LINE says is wrong, with its details. */
export function problemText({ json, description }: Extract<PlatformAnswer, { kind: "refused" }>): string {
  const details = problem.safeParse(json).data?.details ?? [];
  return [description, ...details.flatMap(({ message }) => message ?? [])].join(" ").slice(0, MAX_PROBLEM_CHARS);
}

/** What a refusal means and what to do; undefined for LINE's own words. */
export function refusalInWords(
  status: number,
  description: string,
  { channelAccessToken }: LineAccount,
): string | undefined {
  if (status === 401)
    return `LINE does not know the token: issue a long-lived channel access token, and set ${channelAccessToken.id} to it.`;
  if (status === 403) return `The plan of the LINE account does not allow it: ${description}`;
  if (isMonthlyLimit(description))
    return "The messages of this month are used up: raise the plan in LINE Official Account Manager, or wait for the next month. Answers within a minute cost nothing.";
  if (description.includes("'to'")) return "LINE does not know that conversation, or the account is no longer in it.";
  return undefined;
}

/** Whether a 429 is of the plan and not of the moment. */
export function isMonthlyLimit(description: string): boolean {
  return /monthly limit/i.test(description);
}
