import { z } from "zod";
import { settingName } from "../account-fields.ts";
import type { ChannelFinding, ConnectOptions } from "../channel.ts";
import type { PlatformAnswer } from "../platform-call.ts";
import { type GithubContext, type GithubLogin, githubLogin, loginMissing } from "./account.ts";
import { callAsItself } from "./github-api.ts";

/** What an app needs, and what it has to be told. */
const PERMISSIONS = ["issues", "pull_requests", "discussions"];
const EVENTS = ["issues", "issue_comment", "pull_request", "pull_request_review", "pull_request_review_comment"];

const app = z.object({
  slug: z.string(),
  permissions: z.record(z.string(), z.string()).default({}),
  events: z.array(z.string()).default([]),
});
const user = z.object({ login: z.string() });
const hook = z.object({ url: z.string().nullish() });

/** Checks the login, and of an app also its permissions, its events and its webhook's address. */
export async function checkAccount(
  context: GithubContext,
  webhookUrl: string,
  signal: AbortSignal,
): Promise<ChannelFinding[]> {
  const missing = missingSecrets(context);
  const login = githubLogin(context);
  if (login === undefined) return missing;
  if (login.kind === "user") return [...missing, await aboutUser(context, login, webhookUrl, signal)];
  const [itself, config] = await Promise.all([
    callAsItself(context, login, { path: "/app" }, signal),
    callAsItself(context, login, { path: HOOK_CONFIG }, signal),
  ]);
  if (itself.kind !== "ok") return [...missing, problem(itself, context)];
  return [...missing, ...aboutApp(itself.json), aboutHook(config, context, webhookUrl)];
}

const HOOK_CONFIG = "/app/hook/config";

function missingSecrets(context: GithubContext): ChannelFinding[] {
  const { account, secret } = context;
  const { id } = account.webhookSecret;
  const findings: ChannelFinding[] = [];
  if (!secret(account.webhookSecret)) {
    const fix = `Set it to the secret of the webhook: wrangler secret put ${id}.`;
    findings.push({ status: "fail", message: `every event is refused, because ${id} is not set.`, fix });
  }
  if (githubLogin(context) === undefined) {
    const fix = "Make a private key on the page of the app: wrangler secret put GITHUB_APP_PRIVATE_KEY < key.pem.";
    findings.push({ status: "fail", message: loginMissing(account), fix });
  }
  return findings;
}

function problem(answer: Exclude<PlatformAnswer, { kind: "ok" }>, { account }: GithubContext): ChannelFinding {
  const said = answer.kind === "refused" ? answer.description : answer.reason;
  const isWrong = answer.kind === "refused" && answer.status < 500 && answer.status !== 429;
  if (!isWrong) return { status: "warn", message: `GitHub does not answer: ${said}.`, fix: "Try again in a moment." };
  const fix = `Check ${settingName(account.appId, "appId")} and ${account.privateKey.id}, or ${account.token.id}.`;
  return { status: "fail", message: `GitHub does not accept the login: ${said}.`, fix };
}

async function aboutUser(
  context: GithubContext,
  login: GithubLogin,
  webhookUrl: string,
  signal: AbortSignal,
): Promise<ChannelFinding> {
  const answer = await callAsItself(context, login, { path: "/user" }, signal);
  if (answer.kind !== "ok") return problem(answer, context);
  const name = user.safeParse(answer.json).data?.login ?? "unknown";
  return { status: "ok", message: `the agent is @${name}; the webhooks of its repositories have to be ${webhookUrl}.` };
}

function aboutApp(json: unknown): ChannelFinding[] {
  const known = app.safeParse(json).data;
  if (known === undefined) {
    return [{ status: "warn", message: "GitHub's answer does not name the app.", fix: "Try again in a moment." }];
  }
  const { slug, permissions, events } = known;
  const findings: ChannelFinding[] = [{ status: "ok", message: `the agent is @${slug}.` }];
  const withheld = PERMISSIONS.filter((name) => permissions[name] !== "write");
  if (withheld.length > 0) {
    const fix = "Grant them under Permissions & events, and accept them in each installation.";
    findings.push({ status: "warn", message: `it may not write to: ${withheld.join(", ")}.`, fix });
  }
  const untold = EVENTS.filter((name) => !events.includes(name));
  if (untold.length > 0) {
    const fix = "Subscribe to them under Permissions & events.";
    findings.push({ status: "warn", message: `it is not told of: ${untold.join(", ")}.`, fix });
  }
  return findings;
}

function aboutHook(answer: PlatformAnswer, context: GithubContext, expected: string): ChannelFinding {
  if (answer.kind !== "ok") return problem(answer, context);
  const url = hook.safeParse(answer.json).data?.url;
  if (url === expected) return { status: "ok", message: "GitHub calls this Worker." };
  const message = url
    ? `GitHub calls another address, not ${expected}.`
    : "GitHub calls nowhere: the app has no webhook.";
  return { status: "fail", message, fix: `Set ${expected} as the app's webhook URL.` };
}

/** Sets the webhook of an app: its address and its secret. */
export async function connectAccount(
  context: GithubContext,
  { webhookUrl, takeOver }: ConnectOptions,
  signal: AbortSignal,
): Promise<ChannelFinding[]> {
  const { account, secret } = context;
  const login = githubLogin(context);
  const webhookSecret = secret(account.webhookSecret);
  if (login === undefined || !webhookSecret) return missingSecrets(context);
  if (login.kind === "user") {
    const fix = `In each repository, under Settings, Webhooks, add ${webhookUrl} with the content type application/json and the value of ${account.webhookSecret.id}.`;
    return [{ status: "warn", message: "the webhooks of a user's repositories are set in each of them.", fix }];
  }
  const current = await callAsItself(context, login, { path: HOOK_CONFIG }, signal);
  if (current.kind !== "ok") return [problem(current, context)];
  const url = hook.safeParse(current.json).data?.url;
  if (url && url !== webhookUrl && !takeOver) {
    return [
      { status: "warn", message: `GitHub calls ${url}.`, fix: "Ask for it to be replaced, if that is not in use." },
    ];
  }
  const body = { url: webhookUrl, content_type: "json", secret: webhookSecret, insecure_ssl: "0" };
  const answer = await callAsItself(context, login, { method: "PATCH", path: HOOK_CONFIG, body }, signal);
  if (answer.kind !== "ok") return [problem(answer, context)];
  return [{ status: "ok", message: `GitHub calls ${webhookUrl}.` }];
}
