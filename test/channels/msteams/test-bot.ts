import type { ChannelContext, Target } from "../../../src/channels/channel.ts";
import { type MsteamsAccount, msteamsAccount } from "../../../src/channels/msteams/account.ts";
import { type PlatformPlace, platformPlace } from "../platform-lab.ts";
import { publicJwk, signToken } from "../signing-key.ts";

/** The clock of the tests, in milliseconds. */
export const NOW = 1_800_000_000_000;

export const APP_ID = "11111111-2222-4333-8444-555555555555";
export const PASSWORD = "app-password-of-tests";
export const TENANT = "99999999-2222-4333-8444-555555555555";
const ISSUER = "https://api.botframework.com";

/** One bot at a place of its own, which is the connector, the login and the keys. */
export interface TestBot {
  place: PlatformPlace;
  context: ChannelContext<MsteamsAccount>;
  target: Target;
  /** An activity as Teams sends it; a direct message where nothing else is said. */
  activity(more?: Record<string, unknown>): Record<string, unknown>;
  /** A call of the webhook. */
  call(body: unknown, token?: { claims?: object; by?: "stranger"; kid?: string }): Promise<Request>;
  /** The activities of a kind that the connector has taken, with the conversation's id. */
  posted(type?: string): Promise<{ conversation: string; activity: Record<string, any> }[]>;
}

export async function makeTeamsBot(
  account: Partial<MsteamsAccount> = {},
  { keys }: { keys?: object[] } = {},
): Promise<TestBot> {
  const place = platformPlace("msteams");
  const known: Record<string, string> = { APP: APP_ID, PASS: PASSWORD, TENANT };
  const serviceUrl = `${place.url}/`;
  await place.remember({
    appPassword: PASSWORD,
    openId: { issuer: ISSUER, jwks_uri: `${place.url}/keys` },
    keys: keys ?? [{ ...(await publicJwk()), endorsements: ["msteams"] }],
  });
  return {
    place,
    context: {
      accountId: "default",
      account: msteamsAccount.parse({
        appId: { source: "env", id: "APP" },
        appPassword: { source: "env", id: "PASS" },
        tenantId: { source: "env", id: "TENANT" },
        serviceUrl,
        loginUrl: `${place.url}/login`,
        openIdUrl: `${place.url}/openid`,
        ...account,
      }),
      secret: (ref) => known[ref.id],
      fetch,
      now: () => NOW,
    },
    target: { channel: "msteams", accountId: "default", kind: "direct", conversationId: "a:chat-77" },
    activity: (more = {}) => ({
      type: "message",
      id: "1790000000001",
      timestamp: "2026-11-25T10:00:00.000Z",
      channelId: "msteams",
      serviceUrl,
      from: { id: "29:ada", name: "Ada", aadObjectId: "aaaaaaaa-0000-4000-8000-000000000001" },
      recipient: { id: `28:${APP_ID}`, name: "Isopod" },
      conversation: { conversationType: "personal", id: "a:chat-77" },
      textFormat: "plain",
      text: "hello",
      ...more,
    }),
    async call(body, { claims = {}, ...options } = {}) {
      const at = NOW / 1000;
      const token = await signToken(
        { iss: ISSUER, aud: APP_ID, nbf: at - 60, exp: at + 3600, serviceurl: serviceUrl, ...claims },
        options,
      );
      return new Request("https://isopod.test/channels/msteams/default/webhook", {
        method: "POST",
        headers: { Authorization: `Bearer ${token}` },
        body: isBody(body) ? body : JSON.stringify(body),
      });
    },
    async posted(type = "message") {
      const calls = await place.calls("/activities");
      return calls.flatMap(({ path, fields }) =>
        fields.type === type ? [{ conversation: decodeURIComponent(path.split("/")[2] ?? ""), activity: fields }] : [],
      );
    },
  };
}

function isBody(body: unknown): body is BodyInit {
  return typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream;
}
