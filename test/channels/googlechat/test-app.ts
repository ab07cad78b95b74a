import { exportJWK, exportPKCS8, generateKeyPair } from "jose";
import type { ChannelContext, Target } from "../../../src/channels/channel.ts";
import { type GooglechatAccount, googlechatAccount } from "../../../src/channels/googlechat/account.ts";
import { lazy } from "../../../src/lib/lazy.ts";
import { type PlatformPlace, platformPlace } from "../platform-lab.ts";
import { publicJwk, signToken } from "../signing-key.ts";

/** The clock of the tests, in milliseconds. */
export const NOW = 1_800_000_000_000;

export const ENDPOINT = "https://isopod.test/channels/googlechat/default/webhook";
export const CHAT = "chat@system.gserviceaccount.com";
export const APP = "users/1000";

/** The key of the app's service account: its JSON, and its public half for the fake. */
export const serviceAccount = lazy(async () => {
  const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
  const pem = await exportPKCS8(privateKey);
  const client_email = "app@project-of-tests.iam.gserviceaccount.com";
  return {
    json: JSON.stringify({ type: "service_account", client_email, private_key: pem }),
    pem,
    publicJwk: await exportJWK(publicKey),
  };
});

/** The token of a call, and who signs it. */
export interface TestToken {
  claims?: object;
  by?: "stranger";
  kid?: string;
}

/** One app at a place of its own, which is the Chat API, the login and the keys. */
export interface TestApp {
  place: PlatformPlace;
  context: ChannelContext<GooglechatAccount>;
  target: Target;
  secrets: string[];
  /** A message as Google Chat sends it; a direct one where nothing else is said. */
  message(more?: Record<string, unknown>): Record<string, unknown>;
  /** An event with a message. */
  event(more?: Record<string, unknown>): Record<string, unknown>;
  /** A call of the webhook. */
  call(body: unknown, token?: TestToken): Promise<Request>;
  /** The messages that the Chat API has taken, with their space and query. */
  created(): Promise<{ path: string; query: Record<string, string>; message: Record<string, any> }[]>;
}

export const DM = { name: "spaces/DMAAAA", type: "DM", spaceType: "DIRECT_MESSAGE", singleUserBotDm: true };
export const ROOM = { name: "spaces/ROOM", type: "ROOM", spaceType: "SPACE", displayName: "Deck" };
export const ADA = { name: "users/77", displayName: "Ada", type: "HUMAN" };

export async function makeChatApp(
  account: Partial<GooglechatAccount> = {},
  secrets: Record<string, string> = {},
): Promise<TestApp> {
  const place = platformPlace("googlechat");
  const { json, pem, publicJwk: loginKey } = await serviceAccount();
  const known: Record<string, string> = { AUDIENCE: ENDPOINT, KEY: json, ...secrets };
  await place.remember({ keys: [await publicJwk()], serviceAccount: loginKey });
  const message = (more: Record<string, unknown> = {}) => ({
    ...{ name: "spaces/DMAAAA/messages/M1", sender: ADA, text: "hello", argumentText: "hello" },
    thread: { name: "spaces/DMAAAA/threads/T1" },
    ...more,
  });
  return {
    place,
    context: {
      accountId: "default",
      account: googlechatAccount.parse({
        audience: { source: "env", id: "AUDIENCE" },
        addOnAccount: { source: "env", id: "ADD_ON" },
        serviceAccount: { source: "env", id: "KEY" },
        ...{ apiBase: place.url, tokenUrl: `${place.url}/token`, keysBase: place.url },
        ...account,
      }),
      secret: (ref) => known[ref.id],
      fetch,
      now: () => NOW,
    },
    target: { channel: "googlechat", accountId: "default", kind: "group", conversationId: "spaces/ROOM" },
    secrets: [json, pem, "ya29-1"],
    message,
    event: (more = {}) => ({
      type: "MESSAGE",
      eventTime: "2026-11-25T10:00:00Z",
      user: ADA,
      space: DM,
      message: message(),
      ...more,
    }),
    async call(body, { claims = {}, ...options } = {}) {
      const at = NOW / 1000;
      const token = await signToken(
        {
          ...{ iss: "https://accounts.google.com", aud: ENDPOINT, email: CHAT, email_verified: true },
          ...{ iat: at - 10, exp: at + 3600 },
          ...claims,
        },
        options,
      );
      const headers = { Authorization: `Bearer ${token}` };
      return new Request(ENDPOINT, { method: "POST", headers, body: isBody(body) ? body : JSON.stringify(body) });
    },
    async created() {
      return (await place.calls("/messages")).map(({ path, fields }) => {
        const url = new URL(path, "http://chat.test/");
        return { path: url.pathname, query: Object.fromEntries(url.searchParams), message: fields };
      });
    },
  };
}

function isBody(body: unknown): body is BodyInit {
  return typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream;
}
