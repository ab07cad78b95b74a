import type { FakeAnswer, FakePlatform, PlatformCall } from "./fake-platform.ts";

/** Most bytes of a message in UTF-16, without pictures. */
const MAX_MESSAGE_BYTES = 100 * 1024;

/**
 * The connector of the Bot Framework with Microsoft's login and the keys of the Bot Framework, all at one place. Its
 * memory: `openId` and `keys` are its documents, `appPassword` the only password that logs in, `bearers` the tokens that were
 * given out.
 */
export const msteamsServer: FakePlatform = {
  name: "msteams",
  answer(call, memory) {
    const { method, path } = call;
    if (path === "openid") return { body: memory.openId };
    if (path === "keys") return { body: { keys: memory.keys } };
    if (/^login\/[^/]+\/oauth2\/v2\.0\/token$/.test(path)) return logIn(call, memory);
    if (path.startsWith("files/")) {
      return call.headers.authorization === undefined ? { body: "from sharepoint" } : { status: 400 };
    }
    if (!isLoggedIn(call, memory)) return refusal(401, "AuthorizationFailed", "Authorization has been denied.");
    if (path.startsWith("v3/attachments/")) return { body: "a picture" };
    if (method !== "POST") return undefined;
    if (path === "v3/conversations") return begin(call);
    const [, id] = /^v3\/conversations\/([^/]+)\/activities$/.exec(path) ?? [];
    return id === undefined ? undefined : post(call, decodeURIComponent(id), memory);
  },
};

function logIn({ fields }: PlatformCall, memory: Record<string, unknown>): FakeAnswer {
  const { grant_type, client_id, client_secret, scope } = fields;
  const isRight = grant_type === "client_credentials" && typeof client_id === "string" && scope === SCOPE;
  if (!isRight) return { status: 400, body: { error: "invalid_request", error_description: "AADSTS900144" } };
  if (memory.appPassword !== undefined && client_secret !== memory.appPassword) {
    const error_description = "AADSTS7000215: Invalid client secret provided.";
    return { status: 401, body: { error: "invalid_client", error_description } };
  }
  const bearers = (memory.bearers ?? []) as string[];
  const bearer = `bearer-${bearers.length + 1}`;
  memory.bearers = [...bearers, bearer];
  return { body: { token_type: "Bearer", expires_in: 3599, access_token: bearer } };
}

const SCOPE = "https://api.botframework.com/.default";

function isLoggedIn({ headers }: PlatformCall, { bearers = [] }: Record<string, unknown>): boolean {
  return (bearers as string[]).some((bearer) => headers.authorization === `Bearer ${bearer}`);
}

function begin({ fields }: PlatformCall): FakeAnswer {
  const [member] = Array.isArray(fields.members) ? fields.members : [];
  if (typeof member?.id !== "string") return refusal(400, "BadArgument", "Members are missing.");
  if (member.id.endsWith("uninstalled")) {
    return refusal(403, "ForbiddenOperationException", "The bot is not installed in user's personal scope");
  }
  return { status: 201, body: { id: `a:chat-with-${member.id.slice(0, 8)}` } };
}

function post({ fields, body }: PlatformCall, id: string, memory: Record<string, unknown>): FakeAnswer {
  const { type, text, attachments } = fields;
  if (id.startsWith("a:gone")) return refusal(404, "ConversationNotFound", "Conversation not found.");
  if (type === "typing") return { status: 202, body: {} };
  if (type !== "message") return refusal(400, "BadSyntax", "Unknown activity type.");
  const pictures = JSON.stringify(attachments ?? []).length;
  if ((body.length - pictures) * 2 > MAX_MESSAGE_BYTES) {
    return refusal(413, "MessageSizeTooBig", "Message size too large.");
  }
  memory.messages = Number(memory.messages ?? 1_790_000_000_000) + 1;
  // A text with an attachment is split, and its id is not told.
  const isSplit = typeof text === "string" && text !== "" && Array.isArray(attachments);
  return { status: 201, body: isSplit ? {} : { id: String(memory.messages) } };
}

function refusal(status: number, code: string, message: string): FakeAnswer {
  return { status, body: { error: { code, message } } };
}
