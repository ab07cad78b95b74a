import type { ChannelContext, Target } from "../../../src/channels/channel.ts";
import { type SlackAccount, slackAccount } from "../../../src/channels/slack/account.ts";
import { hmac, toHex } from "../../../src/security/hmac.ts";
import { type PlatformPlace, platformPlace } from "../platform-lab.ts";

/** The clock of tests, in seconds since the epoch. */
export const NOW_SECONDS = 1_800_000_000;
export const SIGNING_SECRET = "8f742231b10e8888abcd99yyyzzz85a5";
export const BOT_ID = "U0ISOPODBOT";
const TOKEN = "xoxb-17653672481-lab-3f1c9";

/** A Slack app with a place of its own on the fake server. */
export interface TestApp {
  place: PlatformPlace;
  context: ChannelContext<SlackAccount>;
  token: string;
  /** Its DM with a person. */
  target: Target;
}

export function makeApp(
  account: Partial<SlackAccount> = {},
  secrets: Record<string, string | undefined> = {},
  place = platformPlace("slack"),
): TestApp {
  const known: Record<string, string | undefined> = {
    SLACK_BOT_TOKEN: TOKEN,
    SLACK_SIGNING_SECRET: SIGNING_SECRET,
    ...secrets,
  };
  return {
    place,
    token: TOKEN,
    context: {
      accountId: "default",
      account: slackAccount.parse({ apiBase: `${place.url}/api`, ...account }),
      secret: ({ id }) => known[id],
      fetch,
      now: () => NOW_SECONDS * 1000,
    },
    target: { channel: "slack", accountId: "default", kind: "direct", conversationId: "D0LABDM0001" },
  };
}

const URL = "https://isopod.example/channels/slack/default/webhook";

/** How a request is signed. */
export interface Signing {
  secret?: string;
  seconds?: number;
  headers?: Record<string, string>;
}

/** A request as Slack makes it. A stream gets a signature that fits nothing. */
export async function signed(
  body: BodyInit,
  { secret = SIGNING_SECRET, seconds = NOW_SECONDS, headers = {} }: Signing = {},
): Promise<Request> {
  const bytes = body instanceof ReadableStream ? undefined : new Uint8Array(await new Response(body).arrayBuffer());
  const signature = toHex(await hmac("SHA-256", secret, joined(`v0:${seconds}:`, bytes ?? new Uint8Array())));
  const signing = { "X-Slack-Request-Timestamp": String(seconds), "X-Slack-Signature": `v0=${signature}` };
  return new Request(URL, { method: "POST", headers: { ...signing, ...headers }, body: bytes ?? body });
}

function joined(text: string, bytes: Uint8Array): Uint8Array {
  return new Uint8Array([...new TextEncoder().encode(text), ...bytes]);
}

/** The events API's envelope of an event. */
export function envelope(event: object, more: object = {}): object {
  return {
    ...{ token: "legacy", team_id: "T0LABTEAM1", api_app_id: "A0ISOPOD", type: "event_callback" },
    ...{ event_id: "Ev0LAB0001", event_time: NOW_SECONDS, event },
    authorizations: [{ enterprise_id: null, team_id: "T0LABTEAM1", user_id: BOT_ID, is_bot: true }],
    ...more,
  };
}

/** A message of Ada's in a DM, unless told otherwise. */
export function message(text: string, more: object = {}): object {
  const ts = "1799999999.000100";
  return {
    ...{ type: "message", user: "U0LABADA01", ts, event_ts: ts, text, channel: "D0LABDM0001", channel_type: "im" },
    ...more,
  };
}

export function delivered(event: object, more: object = {}): Promise<Request> {
  return signed(JSON.stringify(envelope(event, more)), { headers: { "Content-Type": "application/json" } });
}

const FORM = { "Content-Type": "application/x-www-form-urlencoded" };

/** A slash command, or any other form. */
export function form(fields: Record<string, string>): Promise<Request> {
  return signed(new URLSearchParams(fields).toString(), { headers: FORM });
}

/** An interaction: a form with JSON in it. */
export function interaction(payload: object): Promise<Request> {
  return form({ payload: JSON.stringify(payload) });
}
