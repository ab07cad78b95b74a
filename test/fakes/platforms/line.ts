import type { FakeAnswer, FakePlatform, PlatformCall } from "./fake-platform.ts";

export const LINE_TOKEN = "line-channel-access-token";

/** The Messaging API: answers by reply tokens, pushes, files and settings. */
export const lineServer: FakePlatform = {
  name: "line",
  answer(call, memory) {
    if (call.headers.authorization !== `Bearer ${LINE_TOKEN}`) {
      return {
        status: 401,
        body: { message: "Authentication failed. Confirm that the access token in the authorization header is valid." },
      };
    }
    const path = call.path.split("?")[0] ?? "";
    const [, messageId, edge] = /^v2\/bot\/message\/(\w+)\/content(\/transcoding)?$/.exec(path) ?? [];
    if (messageId !== undefined)
      return edge ? { body: { status: prepared(memory) } } : { body: `contents of ${messageId}` };
    switch (`${call.method} ${path}`) {
      case "POST v2/bot/message/reply":
        return replied(call, memory);
      case "POST v2/bot/message/push":
        return pushed(call, memory);
      case "POST v2/bot/chat/loading/start":
        return loading(call);
      case "GET v2/bot/info":
        return { body: { userId: `U${"0".repeat(32)}`, basicId: "@isopod", displayName: "Isopod", chatMode: "bot" } };
      case "GET v2/bot/channel/webhook/endpoint":
        return memory.endpoint === undefined
          ? { status: 404, body: { message: "Not found" } }
          : { body: { endpoint: memory.endpoint, active: true } };
      case "PUT v2/bot/channel/webhook/endpoint":
        memory.endpoint = call.fields.endpoint;
        return { body: {} };
      case "POST v2/bot/channel/webhook/test":
        return {
          body: { success: true, timestamp: "2026-11-25T00:00:00Z", statusCode: 200, reason: "OK", detail: "200" },
        };
      case "GET v2/bot/message/quota":
        return { body: { type: "limited", value: 200 } };
      case "GET v2/bot/message/quota/consumption":
        return { body: { totalUsage: 10 } };
      default:
        return undefined;
    }
  },
};

/** A file is being prepared at the first look. */
function prepared(memory: Record<string, unknown>): string {
  const looks = Number(memory.looks ?? 0) + 1;
  memory.looks = looks;
  return looks === 1 ? "processing" : "succeeded";
}

/** An error as LINE gives it. */
export function lineError(status: number, message: string, details: string[] = []): FakeAnswer {
  return {
    status,
    body: { message, ...(details.length > 0 && { details: details.map((one) => ({ message: one, property: "x" })) }) },
  };
}

type Fields = Record<string, any>;

/** A reply token is good once; one that begins with `old` has expired. */
function replied({ fields, headers }: PlatformCall, memory: Record<string, unknown>): FakeAnswer {
  const token = String(fields.replyToken ?? "");
  if (headers["x-line-retry-key"] !== undefined)
    return lineError(400, "The retry key is not supported by this endpoint");
  const problem = problemWith(fields);
  if (problem) return problem;
  if (token === "" || token.startsWith("old") || memory[token] === true) return lineError(400, "Invalid reply token");
  memory[token] = true;
  return sent(fields, memory);
}

/** A push with a retry key is carried out once. */
function pushed({ fields, headers }: PlatformCall, memory: Record<string, unknown>): FakeAnswer {
  const key = headers["x-line-retry-key"];
  if (key !== undefined && !/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(key))
    return lineError(400, "Invalid retry key");
  if (!/^[UCR][\da-f]{32}$/.test(String(fields.to)))
    return lineError(400, "The property, 'to', in the request body is invalid (line: -, column: -)");
  const problem = problemWith(fields);
  if (problem) return problem;
  const before = key === undefined ? undefined : memory[key];
  if (before !== undefined)
    return { status: 409, body: { message: "The retry key is already accepted", ...(before as object) } };
  const answer = sent(fields, memory);
  if (key !== undefined) memory[key] = answer.body;
  return answer;
}

function sent({ messages }: Fields, memory: Record<string, unknown>): FakeAnswer {
  const first = Number(memory.messages ?? 0);
  memory.messages = first + messages.length;
  return {
    body: {
      sentMessages: messages.map((_: unknown, n: number) => ({
        id: String(461230966842064897n + BigInt(first + n)),
        quoteToken: `quote${first + n}`,
      })),
    },
  };
}

function problemWith({ messages }: Fields): FakeAnswer | undefined {
  if (!Array.isArray(messages) || messages.length < 1 || messages.length > 5)
    return invalid("May have 1 to 5 messages");
  for (const { type, text, quickReply } of messages as Fields[]) {
    if (type !== "text") return invalid("Must be one of the known types");
    if (typeof text !== "string" || text === "" || text.length > 5000)
      return invalid("Length must be between 1 and 5000");
    const items: Fields[] = quickReply?.items ?? [];
    if (items.length > 13) return invalid("May have up to 13 items");
    for (const { action } of items) {
      if (action.label.length > 20) return invalid("Length of a label must be between 0 and 20");
      if (action.type !== "postback" || action.data.length > 300 || action.displayText.length > 300)
        return invalid("Length must be between 0 and 300");
    }
  }
  return undefined;
}

function invalid(detail: string): FakeAnswer {
  return lineError(400, "The request body has 1 error(s)", [detail]);
}

function loading({ fields }: PlatformCall): FakeAnswer {
  const seconds = Number(fields.loadingSeconds);
  const isRight = /^U/.test(String(fields.chatId)) && seconds >= 5 && seconds <= 60 && seconds % 5 === 0;
  return isRight ? { status: 202, body: {} } : lineError(400, "The loadingSeconds or the chatId is invalid");
}
