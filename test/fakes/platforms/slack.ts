import type { FakeAnswer, FakePlatform, PlatformCall } from "./fake-platform.ts";

/** What a place remembers. */
interface Memory {
  /** The times of messages, by their `client_msg_id`. */
  sent?: Record<string, string>;
  count?: number;
  /** The announced sizes of files, and whether their bytes have come. */
  uploads?: Record<string, { length: number; isThere: boolean }>;
  /** The bot's reactions: `channel timestamp name`. */
  reactions?: string[];
  /** How often each `response_url` was used. */
  used?: Record<string, number>;
}

type Fields = Record<string, unknown>;

/**
 * Slack's Web API at `api/`, its files at `files-pri/` and `upload/`, and addresses for answers at `respond/`. Errors are
 * answered with 200, as Slack does.
 * @see https://docs.slack.dev/reference/methods
 */
export const slackPlatform: FakePlatform = {
  name: "slack",
  answer(call, memory: Memory) {
    const [area = "", name = ""] = call.path.split(/[/?]/);
    if (area === "api") return callMethod(name, call, memory);
    if (area === "upload") return upload(name, call, memory);
    if (area === "files-pri") return download(name, call);
    return area === "respond" ? respond(name, call, memory) : undefined;
  },
};

const METHODS: Readonly<Record<string, (fields: Fields, memory: Memory, call: PlatformCall) => Fields | string>> = {
  "auth.test": () => ({
    team: "Lab",
    user: "isopod",
    team_id: "T0LABTEAM1",
    user_id: "U0ISOPODBOT",
    bot_id: "B0ISOPOD",
  }),
  "chat.postMessage": postMessage,
  "assistant.threads.setStatus": ({ channel_id, thread_ts, status }) =>
    isChannel(channel_id) && isTimestamp(thread_ts) && typeof status === "string" ? {} : "invalid_thread_ts",
  "conversations.open": ({ users }) =>
    isMember(users) ? { channel: { id: `D${String(users).slice(1)}` } } : "user_not_found",
  "files.info": ({ file }, _, { place }) => ({
    file: { id: file, url_private_download: `${place}/files-pri/${file}` },
  }),
  "files.getUploadURLExternal"({ filename, length }, memory, { place }) {
    if (!filename || !(Number(length) > 0)) return "missing_argument";
    const id = `F0LAB${String(next(memory)).padStart(5, "0")}`;
    memory.uploads = { ...memory.uploads, [id]: { length: Number(length), isThere: false } };
    return { upload_url: `${place}/upload/${id}`, file_id: id };
  },
  "files.completeUploadExternal"({ files, channel_id, thread_ts }, memory) {
    const shared = parsed(files) as { id: string; title: string }[];
    if (!isChannel(channel_id)) return "channel_not_found";
    if (thread_ts !== undefined && !isTimestamp(thread_ts)) return "invalid_thread_ts";
    return shared.every(({ id }) => memory.uploads?.[id]?.isThere) ? { files: shared } : "file_not_found";
  },
  "reactions.add"({ channel, timestamp, name }, memory) {
    if (!isTimestamp(timestamp)) return "bad_timestamp";
    if (!/^[a-z0-9_+'-]+(::skin-tone-[2-6])?$/.test(String(name))) return "invalid_name";
    const key = `${channel} ${timestamp} ${name}`;
    if (memory.reactions?.includes(key)) return "already_reacted";
    memory.reactions = [...(memory.reactions ?? []), key];
    return {};
  },
  "reactions.get"({ channel, timestamp }, memory) {
    const own = (memory.reactions ?? []).filter((key) => key.startsWith(`${channel} ${timestamp} `));
    const names = ["eyes_of_others", ...own.map((key) => key.split(" ")[2])];
    return {
      type: "message",
      message: { ts: timestamp, reactions: names.map((name) => ({ name, users: [], count: 1 })) },
    };
  },
  "reactions.remove"({ channel, timestamp, name }, memory) {
    const key = `${channel} ${timestamp} ${name}`;
    if (!memory.reactions?.includes(key)) return "no_reaction";
    memory.reactions = memory.reactions.filter((one) => one !== key);
    return {};
  },
};

function callMethod(name: string, call: PlatformCall, memory: Memory): FakeAnswer | undefined {
  const method = METHODS[name];
  if (method === undefined) return { body: { ok: false, error: "unknown_method" } };
  const error = tokenError(call) ?? (call.headers["content-type"]?.includes("form") ? undefined : "invalid_post_type");
  const result = error ?? method(call.fields, memory, call);
  return { body: typeof result === "string" ? { ok: false, error: result } : { ok: true, ...result } };
}

function tokenError({ headers }: PlatformCall): string | undefined {
  const token = /^Bearer (\S+)$/.exec(headers.authorization ?? "")?.[1];
  if (token === undefined) return "not_authed";
  if (token.includes("revoked")) return "token_revoked";
  if (token.includes("expired")) return "token_expired";
  return token.startsWith("xoxb-") ? undefined : "invalid_auth";
}

function postMessage(fields: Fields, memory: Memory): Fields | string {
  const { channel, text, blocks, thread_ts, client_msg_id } = fields;
  if (!isChannel(channel) && !isMember(channel)) return "channel_not_found";
  if (String(channel).includes("ARCHIVED")) return "is_archived";
  if (String(channel).includes("ELSEWHERE")) return "not_in_channel";
  if (typeof text !== "string" || text.trim() === "") return "no_text";
  if (text.length > 40_000) return "msg_too_long";
  if (thread_ts !== undefined && !isTimestamp(thread_ts)) return "invalid_thread_ts";
  if (blocks !== undefined && !areBlocks(parsed(blocks))) return "invalid_blocks";
  const id = String(client_msg_id ?? "");
  if (id !== "" && !/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(id)) return "invalid_arguments";
  const ts = memory.sent?.[id] ?? `1800000000.${String(next(memory)).padStart(6, "0")}`;
  if (id !== "") memory.sent = { ...memory.sent, [id]: ts };
  return { channel, ts, message: { type: "message", text, ts, bot_id: "B0ISOPOD" } };
}

interface Block {
  type: string;
  text?: { type: string; text: string };
  elements?: { type: string; action_id: string; text: { text: string }; value: string }[];
}

/** Whether sections and buttons are within Block Kit's limits. */
function areBlocks(blocks: unknown): boolean {
  if (!Array.isArray(blocks) || blocks.length === 0 || blocks.length > 50) return false;
  const ids = (blocks as Block[]).flatMap(({ elements = [] }) => elements.map((one) => one.action_id));
  if (new Set(ids).size !== ids.length) return false;
  return (blocks as Block[]).every(({ type, text, elements = [] }) => {
    if (type === "section") return text?.type === "mrkdwn" && text.text.length > 0 && text.text.length <= 3000;
    const areButtons = elements.every((one) => one.text.text.length <= 75 && one.value.length <= 2000);
    return type === "actions" && elements.length > 0 && elements.length <= 25 && areButtons;
  });
}

function upload(id: string, call: PlatformCall, memory: Memory): FakeAnswer {
  const announced = memory.uploads?.[id];
  if (announced === undefined) return { status: 404, body: "no such upload" };
  if (Buffer.byteLength(call.body) !== announced.length) return { status: 400, body: "wrong length" };
  announced.isThere = true;
  return { body: `OK - ${announced.length}` };
}

/** Without a token, Slack sends people to its page for signing in. */
function download(name: string, call: PlatformCall): FakeAnswer {
  if (name === "signin")
    return { headers: { "Content-Type": "text/html; charset=utf-8" }, body: "<html>Sign in</html>" };
  if (tokenError(call) !== undefined) return { status: 302, headers: { Location: "signin" }, body: "" };
  if (name === "moved") return { status: 302, headers: { Location: "found" }, body: "" };
  if (name === "abroad") return { status: 302, headers: { Location: "http://127.0.0.1:9/stolen" }, body: "" };
  if (name === "gone") return { status: 404, body: "gone" };
  return { headers: { "Content-Type": "text/plain" }, body: `contents of ${name}` };
}

function respond(id: string, { fields }: PlatformCall, memory: Memory): FakeAnswer {
  const used = memory.used?.[id] ?? 0;
  if (used >= 5) return { status: 404, body: { ok: false, error: "used_url" } };
  memory.used = { ...memory.used, [id]: used + 1 };
  return typeof fields.text === "string" ? { body: "ok" } : { status: 500, body: "no_text" };
}

function next(memory: Memory): number {
  memory.count = (memory.count ?? 0) + 1;
  return memory.count;
}

function isChannel(id: unknown): boolean {
  return /^[CDG][A-Z0-9]+$/.test(String(id));
}

function isMember(id: unknown): boolean {
  return /^[UW][A-Z0-9]+$/.test(String(id));
}

function isTimestamp(text: unknown): boolean {
  return /^\d+\.\d{6}$/.test(String(text));
}

function parsed(json: unknown): unknown {
  try {
    return JSON.parse(String(json));
  } catch {
    return undefined;
  }
}
