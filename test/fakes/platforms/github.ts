import { createPublicKey, verify } from "node:crypto";
import type { FakeAnswer, FakePlatform, PlatformCall } from "./fake-platform.ts";

const MAX_COMMENT_CHARS = 65_536;
/** The app, by its own words. */
const APP = {
  slug: "isopod-agent",
  permissions: { issues: "write", pull_requests: "write", discussions: "write" },
  events: ["issues", "issue_comment", "pull_request", "pull_request_review", "pull_request_review_comment"],
};

/**
 * GitHub's REST API and GraphQL at one place. Its memory: `appKey` is the key that the app signs with (a public JWK; any
 * where absent), `app` what is different about the app, `hook` its webhook, `reactions` those of each comment.
 */
export const githubServer: FakePlatform = {
  name: "github",
  answer(call, memory) {
    const { method, path, headers } = call;
    if (!headers["user-agent"]) return refusal(403, "Request forbidden by administrative rules.");
    const [route = ""] = path.split("?");
    const bearer = headers.authorization?.replace(/^Bearer /, "") ?? "";
    if (route === "user") return { body: { login: "isopod-agent" } };
    if (/^(?:app|repos\/[^/]+\/[^/]+\/installation$)/.test(route)) {
      return isApp(bearer, memory)
        ? asApp(method, route, call, memory)
        : refusal(401, "A JSON web token could not be decoded");
    }
    if (!isToken(bearer, memory)) return refusal(401, "Bad credentials");
    if (route === "graphql") return answerGraphql(call);
    if (route.endsWith("/reactions") || /\/reactions\/\d+$/.test(route))
      return answerReactions(method, route, call, memory);
    const isComment =
      /^repos\/[\w.-]+\/[\w.-]+\/(?:issues\/\d+|pulls\/\d+\/comments\/\d+\/replies|commits\/\w+)(?:\/comments)?$/;
    return method === "POST" && isComment.test(route) ? comment(route, call, memory) : undefined;
  },
};

/** Whether a token is one that the app has signed for itself. */
function isApp(bearer: string, { appKey }: Record<string, unknown>): boolean {
  const [head = "", claims = "", signature = ""] = bearer.split(".");
  const { iss, iat, exp } = JSON.parse(Buffer.from(claims, "base64url").toString() || "{}");
  if (typeof iss !== "string" || !(exp - iat <= 660)) return false;
  if (appKey === undefined) return true;
  const key = createPublicKey({ key: appKey as Record<string, unknown>, format: "jwk" });
  return verify("RSA-SHA256", Buffer.from(`${head}.${claims}`), key, Buffer.from(signature, "base64url"));
}

function isToken(bearer: string, { bearers = [] }: Record<string, unknown>): boolean {
  return bearer.startsWith("ghp_") || (bearers as string[]).includes(bearer);
}

function asApp(method: string, route: string, call: PlatformCall, memory: Record<string, unknown>): FakeAnswer {
  if (route === "app") return { body: { ...APP, ...(memory.app as object | undefined) } };
  if (route === "app/hook/config") {
    if (method === "PATCH") memory.hook = call.fields;
    return { body: memory.hook ?? { url: "" } };
  }
  if (route.endsWith("/installation")) {
    return route.includes("/elsewhere/") ? refusal(404, "Not Found") : { body: { id: 4711 } };
  }
  const bearers = (memory.bearers ?? []) as string[];
  const token = `ghs_${bearers.length + 1}_of_tests`;
  memory.bearers = [...bearers, token];
  return { status: 201, body: { token, expires_at: "2100-01-01T00:00:00Z" } };
}

function comment(route: string, { fields }: PlatformCall, memory: Record<string, unknown>): FakeAnswer {
  const { body } = fields;
  if (route.includes("/issues/404/")) return refusal(404, "Not Found");
  if (route.includes("/issues/423/")) return refusal(403, "Unable to create comment because issue is locked.");
  if (typeof body !== "string" || body.trim() === "") return refusal(422, "Body cannot be blank");
  if ([...body].length > MAX_COMMENT_CHARS) return refusal(422, "body is too long (maximum is 65536 characters)");
  memory.comments = Number(memory.comments ?? 900) + 1;
  return { status: 201, body: { id: memory.comments, body } };
}

function answerGraphql({ fields }: PlatformCall): FakeAnswer {
  const { discussionId } = fields.variables as { discussionId: string };
  if (discussionId !== "D_gone") return { body: { data: { addDiscussionComment: { comment: { databaseId: 77 } } } } };
  return { body: { data: null, errors: [{ type: "NOT_FOUND", message: "Could not resolve to a node." }] } };
}

function answerReactions(
  method: string,
  route: string,
  { fields }: PlatformCall,
  memory: Record<string, unknown>,
): FakeAnswer {
  const all = (memory.reactions ?? [{ id: 1, content: "heart", user: { login: "ada" } }]) as { id: number }[];
  memory.reactions = all;
  if (method === "GET") return { body: all };
  if (method === "DELETE") {
    memory.reactions = all.filter(({ id }) => !route.endsWith(`/${id}`));
    return { status: 204 };
  }
  const reaction = { id: all.length + 1, content: fields.content, user: { login: "isopod-agent[bot]" } };
  all.push(reaction);
  return { status: 201, body: reaction };
}

function refusal(status: number, message: string): FakeAnswer {
  return { status, body: { message, documentation_url: "https://docs.github.com/rest" } };
}
