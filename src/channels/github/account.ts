import { z } from "zod";
import { address } from "../../config/secret-ref.ts";
import {
  deliveryFields,
  groupFields,
  reactionFields,
  secretField,
  settingField,
  settingName,
  settingValue,
} from "../account-fields.ts";
import type { AccessPolicy, ChannelContext } from "../channel.ts";

/** The configuration of a GitHub App, or of a user of the agent's own. */
export const githubAccount = z.strictObject({
  webhookSecret: secretField("GITHUB_WEBHOOK_SECRET", "The secret of the webhook; nothing enters without it"),
  appId: settingField("GITHUB_APP_ID", z.string().regex(/^\w{1,64}$/, "use the app's id"), "The id of the GitHub App"),
  privateKey: secretField("GITHUB_APP_PRIVATE_KEY", "The private key of the GitHub App, as its .pem file"),
  token: secretField("GITHUB_TOKEN", "The token of a user of the agent's own, where there is no app"),
  username: z
    .string()
    .regex(/^[\w-]{1,64}$/, "use the app's name in its address, or the user's name, without the @")
    .optional()
    .describe("The name that people mention, without the @; asked of GitHub when it is needed and not given."),
  alsoAddressedBy: z
    .array(z.enum(["assignment", "review_request"]))
    .default([])
    .describe("What addresses the agent besides a mention: being assigned, or being asked for a review."),
  apiBase: address.default("https://api.github.com").describe("Address of the REST API, for GitHub Enterprise Server."),
  ...groupFields,
  ...deliveryFields,
  ...reactionFields,
});

/** The parsed configuration of an account. */
export type GithubAccount = z.output<typeof githubAccount>;

/** The channel context of one account. */
export type GithubContext = ChannelContext<GithubAccount>;

/** GitHub has no direct messages. */
export function accessOf(account: GithubAccount): AccessPolicy {
  return { ...account, dmPolicy: "disabled", allowFrom: [] };
}

/** With what an account calls GitHub. */
export type GithubLogin = { kind: "app"; appId: string; privateKey: string } | { kind: "user"; token: string };

/** The login of an account, the app's before the user's; undefined while neither is set. */
export function githubLogin({ account, secret }: Pick<GithubContext, "account" | "secret">): GithubLogin | undefined {
  const [appId, privateKey, token] = [
    settingValue(account.appId, { secret }),
    secret(account.privateKey),
    secret(account.token),
  ];
  if (appId && privateKey) return { kind: "app", appId, privateKey: privateKey.replaceAll("\\n", "\n") };
  return token ? { kind: "user", token } : undefined;
}

/** What an account without a login is told. */
export function loginMissing({ appId, privateKey, token }: GithubAccount): string {
  return `Set ${settingName(appId, "appId")} and ${privateKey.id} of a GitHub App, or ${token.id}.`;
}
