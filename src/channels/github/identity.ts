import { z } from "zod";
import { within } from "../../lib/deadline.ts";
import { shortDigest } from "../../lib/digest.ts";
import type { GithubContext, GithubLogin } from "./account.ts";
import { callAsItself } from "./github-api.ts";

const TIMEOUT_MS = 5_000;
/** How long a name is remembered: names seldom change. */
const REMEMBERED_MS = 60 * 60 * 1000;
/** Most names that an isolate remembers. */
const MAX_NAMES = 100;

const remembered = new Map<string, { username: string; until: number }>();

const app = z.object({ slug: z.string() });
const user = z.object({ login: z.string() });

/**
 * The name of the account, from its configuration, from this isolate's memory or from GitHub. Where GitHub does not
 * answer, the name of an hour ago is better than none: GitHub does not send an event again that was refused.
 * @returns undefined if GitHub does not answer, and never has
 */
export async function identify(context: GithubContext, login: GithubLogin): Promise<string | undefined> {
  const { username: configured, apiBase } = context.account;
  if (configured !== undefined) return configured;
  const key = await shortDigest(JSON.stringify([apiBase, login]));
  const known = remembered.get(key);
  if (known !== undefined && known.until > context.now()) return known.username;
  const path = login.kind === "app" ? "/app" : "/user";
  const answer = await within(TIMEOUT_MS, (signal) => callAsItself(context, login, { path }, signal));
  const json = answer.kind === "ok" ? answer.json : undefined;
  const username = login.kind === "app" ? app.safeParse(json).data?.slug : user.safeParse(json).data?.login;
  if (username === undefined) return known?.username;
  if (remembered.size >= MAX_NAMES) remembered.clear();
  remembered.set(key, { username, until: context.now() + REMEMBERED_MS });
  return username;
}
