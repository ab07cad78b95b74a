import { z } from "zod";
import { backoffMs, withJitter } from "../../lib/backoff.ts";
import type { DiscordAccount } from "./account.ts";
import { newToken, PORTAL } from "./application.ts";

/** What the connection with Discord's Gateway says and means. @see https://docs.discord.com/developers/events/gateway */

/** Messages in servers, direct messages, and what messages say. */
const INTENTS = (1 << 9) | (1 << 12) | (1 << 15);

const QUERY = "?v=10&encoding=json";

/** A frame of the Gateway. */
const frame = z.object({
  op: z.int(),
  d: z.unknown().optional(),
  s: z.int().nullish(),
  t: z.string().nullish(),
});

export type GatewayFrame = z.output<typeof frame>;

/** The meanings of frames. */
export const OP = {
  dispatch: 0,
  heartbeat: 1,
  identify: 2,
  resume: 6,
  reconnect: 7,
  invalidSession: 9,
  hello: 10,
  heartbeatAck: 11,
} as const;

/** A session with Discord, which goes on over several connections. */
export interface GatewaySession {
  id: string;
  /** The last event that was taken up: what came after it comes again when the session is resumed. */
  seq: number;
  /** Where it is resumed. */
  url: string;
  botId: string;
}

/** Parses a frame; undefined if it is none. */
export function readFrame(data: unknown): GatewayFrame | undefined {
  if (typeof data !== "string") return undefined;
  try {
    return frame.safeParse(JSON.parse(data)).data;
  } catch {
    return undefined;
  }
}

const hello = z.object({ heartbeat_interval: z.int().min(1) });

/** The time between two heartbeats, in milliseconds, that a hello asks for. @throws ZodError */
export function heartbeatMs({ d }: GatewayFrame): number {
  return hello.parse(d).heartbeat_interval;
}

const ready = z.object({
  session_id: z.string(),
  resume_gateway_url: z.string(),
  user: z.object({ id: z.string() }),
});

/** The session that begins with the event READY. @throws ZodError */
export function sessionOf({ d, s }: GatewayFrame): GatewaySession {
  const { session_id: id, resume_gateway_url: url, user } = ready.parse(d);
  return { id, seq: s ?? 0, url, botId: user.id };
}

/** The first frame of a connection: it resumes a session, or begins one. */
export function greeting(token: string, session: GatewaySession | undefined): string {
  if (session !== undefined) {
    return JSON.stringify({ op: OP.resume, d: { token, session_id: session.id, seq: session.seq } });
  }
  const properties = { os: "cloudflare", browser: "isopod", device: "isopod" };
  return JSON.stringify({ op: OP.identify, d: { token, intents: INTENTS, properties } });
}

/** @param seq of the last event that has come; null before the first */
export function heartbeat(seq: number | null): string {
  return JSON.stringify({ op: OP.heartbeat, d: seq });
}

/** The address of a connection, for `fetch`. */
export function connectionUrl(address: string): string {
  const { origin, pathname } = new URL(address.replace(/^ws/, "http"));
  return `${origin}${pathname}${QUERY}`;
}

/** What is done after a connection has ended. */
export type AfterClose =
  | { kind: "resume" }
  /** The session is over: another one begins. */
  | { kind: "identify" }
  /** Trying again does not help: a person has to do something. */
  | { kind: "stop"; problem: string; fix: string };

/** What a close code asks for. */
export function afterClose(code: number, account: DiscordAccount): AfterClose {
  switch (code) {
    case 4004:
      return {
        kind: "stop",
        problem: `Discord does not know the token of ${account.botToken.id}`,
        fix: newToken(account),
      };
    case 4013:
    case 4014: {
      const fix = `At ${PORTAL}, page Bot, switch Message Content Intent on.`;
      return { kind: "stop", problem: "the bot may not read the contents of messages", fix };
    }
    case 4010:
    case 4011:
      return {
        kind: "stop",
        problem: "the bot is in more servers than one connection may serve",
        fix: "Remove it from some.",
      };
    case 4012:
      return { kind: "stop", problem: "Discord has retired this version of its Gateway", fix: "Update Isopod." };
    case 4007:
    case 4009:
      return { kind: "identify" };
    default:
      return { kind: "resume" };
  }
}

const PAUSE = { firstMs: 1000, longestMs: 5 * 60_000 };

/** The pause before the next connection. @param failures connections in a row that did not last @param chance from 0 to 1 */
export function pauseMs(failures: number, chance: number): number {
  return failures === 0 ? 0 : withJitter(backoffMs(failures - 1, PAUSE), chance);
}
