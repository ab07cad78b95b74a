import { createPublicKey, verify } from "node:crypto";
import type { FakeAnswer, FakePlatform, PlatformCall } from "./fake-platform.ts";

/** Most bytes of a message with its cards. */
const MAX_MESSAGE_BYTES = 32_000;

/**
 * The Chat API with Google's login and keys, all at one place. Its memory: `keys` and `certificates` are what Google
 * publishes, `serviceAccount` the key with which the app's logins are signed (a public JWK; any where absent), `messages`
 * what was created, by request id.
 */
export const googlechatServer: FakePlatform = {
  name: "googlechat",
  answer(call, memory) {
    const { method, path } = call;
    if (path === "oauth2/v3/certs") return { body: { keys: memory.keys } };
    if (path.startsWith("service_accounts/v1/metadata/x509/")) return { body: memory.certificates };
    if (path === "token") return logIn(call, memory);
    const bearers = (memory.bearers ?? []) as string[];
    if (!bearers.some((bearer) => call.headers.authorization === `Bearer ${bearer}`)) {
      return refusal(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.");
    }
    const { pathname, searchParams } = new URL(path, "http://chat.test/");
    if (pathname === "/v1/spaces") return { body: { spaces: [{ name: "spaces/ROOM" }] } };
    if (pathname === "/v1/spaces:findDirectMessage") return findChat(searchParams.get("name") ?? "");
    if (pathname.startsWith("/v1/media/")) return searchParams.get("alt") === "media" ? { body: "a file" } : undefined;
    const [, space] = /^\/v1\/(spaces\/[\w-]+)\/messages$/.exec(pathname) ?? [];
    return method === "POST" && space !== undefined ? create(call, space, searchParams, memory) : undefined;
  },
};

/** Verifies the assertion, as Google does. */
function logIn({ fields }: PlatformCall, memory: Record<string, unknown>): FakeAnswer {
  const [head = "", claims = "", signature = ""] = String(fields.assertion).split(".");
  const said = JSON.parse(Buffer.from(claims, "base64url").toString() || "{}");
  const isComplete =
    fields.grant_type === "urn:ietf:params:oauth:grant-type:jwt-bearer" &&
    typeof said.iss === "string" &&
    said.scope === "https://www.googleapis.com/auth/chat.bot" &&
    said.exp - said.iat <= 3600;
  const jwk = memory.serviceAccount as Record<string, unknown> | undefined;
  const isSigned =
    jwk === undefined ||
    verify(
      "RSA-SHA256",
      Buffer.from(`${head}.${claims}`),
      createPublicKey({ key: jwk, format: "jwk" }),
      Buffer.from(signature, "base64url"),
    );
  if (!isComplete || !isSigned) {
    return { status: 400, body: { error: "invalid_grant", error_description: "Invalid JWT Signature." } };
  }
  const bearers = (memory.bearers ?? []) as string[];
  const bearer = `ya29-${bearers.length + 1}`;
  memory.bearers = [...bearers, bearer];
  return { body: { access_token: bearer, expires_in: 3599, token_type: "Bearer" } };
}

function findChat(user: string): FakeAnswer {
  if (user === "users/stranger") return refusal(404, "NOT_FOUND", "Space not found.");
  return { body: { name: `spaces/DM-${user.replace("users/", "")}`, spaceType: "DIRECT_MESSAGE" } };
}

function create(
  { fields, body }: PlatformCall,
  space: string,
  query: URLSearchParams,
  memory: Record<string, unknown>,
): FakeAnswer {
  if (space === "spaces/GONE") return refusal(404, "NOT_FOUND", "Space not found.");
  if (Buffer.byteLength(body) > MAX_MESSAGE_BYTES) return refusal(400, "INVALID_ARGUMENT", "Message is too large.");
  for (const field of Object.keys(fields)) {
    if (!["text", "markupSyntax", "thread", "cardsV2"].includes(field)) {
      return refusal(400, "INVALID_ARGUMENT", `Invalid JSON payload received. Unknown name "${field}".`);
    }
  }
  const requestId = query.get("requestId") ?? "";
  const messages = (memory.messages ?? {}) as Record<string, { name: string; space: string; text: unknown }>;
  memory.messages = messages;
  const known = messages[requestId] ?? {
    name: `${space}/messages/M${Object.keys(messages).length}`,
    space,
    text: fields.text,
  };
  if (requestId !== "") messages[requestId] = known;
  return { body: { ...known, thread: fields.thread ?? { name: `${space}/threads/T` } } };
}

function refusal(code: number, status: string, message: string): FakeAnswer {
  return { status: code, body: { error: { code, message, status } } };
}
