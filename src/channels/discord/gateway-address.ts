import { z } from "zod";
import { within } from "../../lib/deadline.ts";
import { messageOf } from "../../lib/errors.ts";
import type { DiscordContext } from "./account.ts";
import { callDiscord } from "./api.ts";
import { type AfterClose, afterClose, connectionUrl } from "./gateway-protocol.ts";

const ANSWER_MS = 10_000;
/** Discord takes a thousand sessions a day, and resets the token of a bot that begins more. */
const LEAST_STARTS = 10;
const WRONG_TOKEN = 4004;

const gatewayBot = z.object({
  url: z.string(),
  session_start_limit: z.object({ remaining: z.int(), reset_after: z.int() }),
});

/** Why there is no connection, and what is done about it, at the soonest after `leastMs`. */
export interface NoGateway {
  after: AfterClose;
  problem: string;
  leastMs?: number;
}

/** Asks Discord where a session is begun. Never throws. */
export async function findGateway(context: DiscordContext): Promise<{ url: string } | NoGateway> {
  const request = { path: "/gateway/bot", method: "GET" } as const;
  const answer = await within(ANSWER_MS, (signal) => callDiscord(context, request, signal));
  if (answer.kind === "refused" && answer.status === 401) {
    return { after: afterClose(WRONG_TOKEN, context.account), problem: "the token is wrong" };
  }
  const after = { kind: "identify" } as const;
  const told = answer.kind === "ok" ? gatewayBot.safeParse(answer.json).data : undefined;
  if (told === undefined) {
    const reason = answer.kind === "refused" ? answer.description : answer.kind === "ok" ? "unreadable" : answer.reason;
    return { after, problem: `Discord does not say where its Gateway is: ${reason}` };
  }
  const { remaining, reset_after: leastMs } = told.session_start_limit;
  if (remaining > LEAST_STARTS) return { url: told.url };
  return { after, problem: "the bot has begun too many sessions today", leastMs };
}

/** Opens a connection; it has to be accepted. Never throws. */
export async function openGateway(url: string, { fetch }: DiscordContext): Promise<WebSocket | NoGateway> {
  const after = { kind: "resume" } as const;
  try {
    const response = await within(ANSWER_MS, (signal) =>
      fetch(connectionUrl(url), { headers: { Upgrade: "websocket" }, signal }),
    );
    return response.webSocket ?? { after, problem: `Discord's Gateway answered ${response.status}` };
  } catch (error) {
    return { after, problem: `Discord's Gateway cannot be reached: ${messageOf(error)}` };
  }
}
