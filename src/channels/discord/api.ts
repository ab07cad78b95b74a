import { z } from "zod";
import { callPlatform, type PlatformAnswer, type PlatformRequest } from "../platform-call.ts";
import { botToken, type DiscordContext } from "./account.ts";

/** A request to Discord's API. */
export interface DiscordRequest extends Pick<PlatformRequest, "method" | "body"> {
  /** Below the API's address. */
  path: string;
  /** The token of an interaction, if the path has one: it stands in place of the bot's. */
  interactionToken?: string;
}

/** Discord's servers refuse requests without one of this form. */
const USER_AGENT = "DiscordBot (isopod, 1)";

const limited = z.object({ retry_after: z.number() });
const refusal = z.object({ code: z.int() });

/** Calls Discord's API once. Never throws; the answer contains no token. */
export async function callDiscord(
  context: DiscordContext,
  { path, interactionToken, ...request }: DiscordRequest,
  signal: AbortSignal,
): Promise<PlatformAnswer> {
  const token = interactionToken ?? botToken(context) ?? "";
  const url = `${context.account.apiBase.replace(/\/+$/, "")}${path}`;
  const headers = {
    "User-Agent": USER_AGENT,
    ...(interactionToken === undefined && { Authorization: `Bot ${token}` }),
  };
  const answer = await callPlatform(context, { ...request, url, headers, secrets: [token] }, signal);
  const seconds = answer.kind === "refused" ? limited.safeParse(answer.json).data?.retry_after : undefined;
  return seconds === undefined || answer.kind !== "refused"
    ? answer
    : { ...answer, retryAfterMs: Math.ceil(seconds * 1000) };
}

/** Discord's own code of a refusal; 0 if there is none. */
export function refusalCode(answer: PlatformAnswer): number {
  return answer.kind === "refused" ? (refusal.safeParse(answer.json).data?.code ?? 0) : 0;
}
