import { exportJWK, exportPKCS8, generateKeyPair } from "jose";
import type { ChannelContext, Target } from "../../../src/channels/channel.ts";
import { type GithubAccount, githubAccount } from "../../../src/channels/github/account.ts";
import { fromBase64, toBase64 } from "../../../src/lib/base64.ts";
import { lazy } from "../../../src/lib/lazy.ts";
import { hmac, toHex } from "../../../src/security/hmac.ts";
import { type PlatformPlace, platformPlace } from "../platform-lab.ts";

/** The clock of the tests, in milliseconds. */
export const NOW = 1_800_000_000_000;

export const HOOK_SECRET = "hook-secret-of-tests";
export const WEBHOOK = "https://isopod.test/channels/github/default/webhook";

/** The app's key, in both forms of PEM, and its public half for the fake. */
export const appKey = lazy(async () => {
  const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
  const pkcs8 = await exportPKCS8(privateKey);
  return { pkcs8, pkcs1: asPkcs1(pkcs8), publicJwk: await exportJWK(publicKey) };
});

/** A key as GitHub gives it: what is inside of PKCS#8 behind 26 bytes. */
function asPkcs1(pkcs8: string): string {
  const bytes = fromBase64(pkcs8.replace(/-----[^-]+-----|\s/g, ""));
  const lines = toBase64(bytes?.slice(26) ?? new Uint8Array()).match(/.{1,64}/g) ?? [];
  return ["-----BEGIN RSA PRIVATE KEY-----", ...lines, "-----END RSA PRIVATE KEY-----", ""].join("\n");
}

/** One app at a place of its own, which is GitHub. */
export interface TestApp {
  place: PlatformPlace;
  context: ChannelContext<GithubAccount>;
  target: Target;
  secrets: string[];
  /** A delivery of the webhook, signed. */
  deliver(name: string, body: unknown, secret?: string): Promise<Request>;
  /** The comments that GitHub has taken, with their paths. */
  comments(): Promise<{ path: string; body: string }[]>;
}

export const ADA = { id: 77, login: "ada", type: "User" };
const REPOSITORY = { id: 1, full_name: "octo/repo" };
export const ISSUE = {
  id: 500,
  number: 7,
  title: "It breaks",
  body: "Look.",
  user: ADA,
  updated_at: "2026-11-25T10:00:00Z",
};

/** An event of a comment on an issue. */
export function commented(body: string, more: Record<string, unknown> = {}, comment: object = {}) {
  return {
    ...{ action: "created", sender: ADA, repository: REPOSITORY, installation: { id: 4711 }, issue: ISSUE },
    comment: { id: 900, body, user: ADA, updated_at: "2026-11-25T10:00:00Z", ...comment },
    ...more,
  };
}

export async function makeGithubApp(
  account: Partial<GithubAccount> = {},
  secrets: Record<string, string> = {},
): Promise<TestApp> {
  const place = platformPlace("github");
  const { pkcs1, publicJwk } = await appKey();
  const known: Record<string, string> = { HOOK: HOOK_SECRET, APP: "12345", KEY: pkcs1, ...secrets };
  await place.remember({ appKey: publicJwk });
  return {
    place,
    context: {
      accountId: "default",
      account: githubAccount.parse({
        webhookSecret: { source: "env", id: "HOOK" },
        appId: { source: "env", id: "APP" },
        privateKey: { source: "env", id: "KEY" },
        token: { source: "env", id: "TOKEN" },
        apiBase: place.url,
        ...account,
      }),
      secret: (ref) => known[ref.id],
      fetch,
      now: () => NOW,
    },
    target: { channel: "github", accountId: "default", kind: "group", conversationId: "octo/repo#7" },
    secrets: [pkcs1, HOOK_SECRET, "ghs_1_of_tests"],
    async deliver(name, body, secret = HOOK_SECRET) {
      const sent = isBody(body) ? body : JSON.stringify(body);
      const bytes = sent instanceof ReadableStream ? new Uint8Array() : sent;
      const signature = `sha256=${toHex(await hmac("SHA-256", secret, bytes))}`;
      const headers = { "X-GitHub-Event": name, "X-Hub-Signature-256": signature };
      return new Request(WEBHOOK, { method: "POST", headers, body: sent });
    },
    async comments() {
      const calls = await place.calls("/comments");
      return calls.flatMap(({ path, fields }) => ("body" in fields ? [{ path, body: String(fields.body) }] : []));
    },
  };
}

function isBody(body: unknown): body is string | Uint8Array<ArrayBuffer> | ReadableStream {
  return typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream;
}
