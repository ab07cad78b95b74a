import { z } from "zod";
import { settingName } from "../account-fields.ts";
import type { Delivery, OutboundPart, Reaction, Target } from "../channel.ts";
import { deliveryOf, type PlatformAnswer, refusedIf, STOPPED } from "../platform-call.ts";
import { type GithubAccount, type GithubContext, type GithubLogin, githubLogin, loginMissing } from "./account.ts";
import { callGithub, type GithubCall, type Repository } from "./github-api.ts";
import { identify } from "./identity.ts";
import { isAgent, OPENING_ID } from "./inbound.ts";
import { type Place, readPlace, readWay } from "./place.ts";

/** Writes one part as a comment. `deliveryId` is not used: GitHub has no idempotency key. */
export async function sendPart(part: OutboundPart, context: GithubContext, signal: AbortSignal): Promise<Delivery> {
  const found = findPlace(part.target, context);
  if ("outcome" in found) return found;
  if (signal.aborted) return STOPPED;
  const { place, login, repository } = found;
  const { discussion } = readWay(part.target.via);
  const call = discussion === undefined ? comment(place, part.text) : discussionComment(discussion, part.text, context);
  return toDelivery(refusedByGraphql(await callGithub(context, login, repository, call, signal)), context.account);
}

interface FoundPlace {
  place: Place;
  login: GithubLogin;
  repository: Repository;
}

function findPlace({ conversationId, threadId, via }: Target, context: GithubContext): FoundPlace | Delivery {
  const login = githubLogin(context);
  if (login === undefined) return { outcome: "failed", reason: loginMissing(context.account) };
  const place = readPlace(conversationId, threadId);
  if (place === undefined) {
    return { outcome: "failed", reason: `'${conversationId}' is no conversation: write it as owner/repository#12.` };
  }
  return { place, login, repository: { name: place.repository, installation: readWay(via).installation } };
}

function comment(place: Place, body: string): GithubCall {
  const base = `/repos/${place.repository}`;
  if (place.kind === "commit") return { method: "POST", path: `${base}/commits/${place.sha}/comments`, body: { body } };
  const { number, threadId } = place;
  const path =
    threadId === undefined
      ? `${base}/issues/${number}/comments`
      : `${base}/pulls/${number}/comments/${encodeURIComponent(threadId)}/replies`;
  return { method: "POST", path, body: { body } };
}

const ADD_COMMENT =
  "mutation ($discussionId: ID!, $body: String!) { addDiscussionComment(input: { discussionId: $discussionId, body: $body }) { comment { databaseId } } }";

/** Discussions are written to by GraphQL alone. An Enterprise Server has it beside the version of its REST API. */
function discussionComment(discussionId: string, body: string, { account }: GithubContext): GithubCall {
  const path = /\/api\/v3\/*$/.test(account.apiBase) ? "/../graphql" : "/graphql";
  return { method: "POST", path, body: { query: ADD_COMMENT, variables: { discussionId, body } } };
}

const graphqlErrors = z.object({
  errors: z.array(z.object({ type: z.string().optional(), message: z.string() })).min(1),
});
const STATUS: Readonly<Record<string, number>> = { NOT_FOUND: 404, FORBIDDEN: 403, RATE_LIMITED: 429 };

/** GraphQL refuses with 200. */
function refusedByGraphql(answer: PlatformAnswer): PlatformAnswer {
  return refusedIf(answer, (json) => {
    const error = graphqlErrors.safeParse(json).data?.errors[0];
    return error && { status: STATUS[error.type ?? ""] ?? 422, description: error.message };
  });
}

const created = z.union([
  z.object({ id: z.int() }).transform(({ id }) => id),
  z
    .object({ data: z.object({ addDiscussionComment: z.object({ comment: z.object({ databaseId: z.int() }) }) }) })
    .transform(({ data }) => data.addDiscussionComment.comment.databaseId),
]);

function toDelivery(answer: PlatformAnswer, account: GithubAccount): Delivery {
  return deliveryOf(answer, {
    platform: "GitHub",
    externalId: (json) => created.safeParse(json).data?.toString(),
    explain: (status, description) => explain(status, description, account)?.concat(`: ${description}`),
  });
}

function explain(status: number, description: string, account: GithubAccount): string | undefined {
  const { appId, privateKey, token } = account;
  switch (status) {
    case 401:
      return `GitHub does not accept the login: check ${settingName(appId, "appId")} and ${privateKey.id}, or ${token.id}`;
    case 403:
      if (/locked/i.test(description)) return "The conversation is locked";
      return "The agent may not write there: give it read and write permission for issues, pull requests and discussions";
    case 404:
    case 410:
      return "There is no such conversation, or the app is not installed in the repository";
    default:
      return undefined;
  }
}

/** GitHub's reactions, by their emojis without variation selectors. */
const CONTENTS: Readonly<Record<string, string>> = {
  "👍": "+1",
  "👎": "-1",
  "😄": "laugh",
  "🎉": "hooray",
  "😕": "confused",
  "❤": "heart",
  "🚀": "rocket",
  "👀": "eyes",
};

/** Sets the agent's reaction on a comment, or removes those that it has set. */
export async function react(
  { target, messageId, emoji }: Reaction,
  context: GithubContext,
  signal: AbortSignal,
): Promise<Delivery> {
  const found = findPlace(target, context);
  if ("outcome" in found) return found;
  const { place, login, repository } = found;
  const path = reactionsPath(place, messageId, target);
  if (path === undefined) return { outcome: "failed", reason: "GitHub has no reactions there." };
  const call = (one: GithubCall) => callGithub(context, login, repository, one, signal);
  if (emoji === "") return toDelivery(await removeOwn(path, call, await identify(context, login)), context.account);
  const content = CONTENTS[emoji.replaceAll("\u{FE0F}", "")];
  if (content === undefined) {
    return { outcome: "failed", reason: `GitHub has only these reactions: ${Object.keys(CONTENTS).join(" ")}` };
  }
  return toDelivery(await call({ method: "POST", path, body: { content } }), context.account);
}

function reactionsPath(place: Place, messageId: string, { via }: Target): string | undefined {
  const base = `/repos/${place.repository}`;
  if (readWay(via).discussion !== undefined) return undefined;
  if (messageId === OPENING_ID && place.kind === "issue") return `${base}/issues/${place.number}/reactions`;
  if (!/^\d+$/.test(messageId)) return undefined;
  if (place.kind === "commit") return `${base}/comments/${messageId}/reactions`;
  return `${base}/${place.threadId === undefined ? "issues" : "pulls"}/comments/${messageId}/reactions`;
}

const reactions = z.array(z.object({ id: z.int(), user: z.object({ login: z.string() }).nullish() }));

async function removeOwn(
  path: string,
  call: (one: GithubCall) => Promise<PlatformAnswer>,
  username: string | undefined,
): Promise<PlatformAnswer> {
  const listed = await call({ path: `${path}?per_page=100` });
  if (listed.kind !== "ok" || username === undefined) return listed;
  const own = (reactions.safeParse(listed.json).data ?? []).filter(({ user }) => user && isAgent(user, username));
  for (const { id } of own) {
    const removed = await call({ method: "DELETE", path: `${path}/${id}` });
    if (removed.kind !== "ok") return removed;
  }
  return listed;
}
