import type { IncomingMessage, ServerResponse } from "node:http";
import { type LocalServer, listen } from "./listen.ts";
import { parseTelegramHtml } from "./telegram-html.ts";

/** One call that a bot made. */
export interface BotCall {
  method: string;
  args: Record<string, unknown>;
}

/** An answer in place of the usual one, for the next call (of `method`, where given). */
export interface ScriptedAnswer {
  method?: string;
  status?: number;
  body?: unknown;
  /** Where a status of 3xx leads. */
  location?: string;
  /** Answers 429 with this many seconds. */
  retryAfter?: number;
  /** Never answers. */
  hang?: boolean;
  /** Cuts the connection before or after the call was recorded, and thus taken. */
  cut?: "before" | "after";
}

interface Bot {
  calls: BotCall[];
  script: ScriptedAnswer[];
  nextMessageId: number;
  /** What files hold, by their path. */
  files: Record<string, string>;
  /** Where it calls, and how that went. */
  webhook: Record<string, unknown>;
  /** What getUpdates is to give. */
  updates: { update_id: number }[];
}

/**
 * Starts a server that behaves as the Bot API does, for any token `<id>:<secret>`, each with a state of its own:
 * `GET /control/<token>/calls` answers what was called, `PUT /control/<token>` takes `{answers: ScriptedAnswer[]}`,
 * what getWebhookInfo is to say as `{webhook}`, what getUpdates is to give as `{updates}`, and what files hold as `{files}`.
 */
export async function startBotApi({ port = 0 }: { port?: number } = {}): Promise<LocalServer> {
  const bots = new Map<string, Bot>();
  return listen((request, response) => {
    handle(bots, request, response).catch((error: unknown) => {
      answer(response, 500, { ok: false, error_code: 500, description: `Internal Server Error: ${error}` });
    });
  }, port);
}

async function handle(bots: Map<string, Bot>, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = decodeURIComponent(new URL(request.url ?? "/", "http://localhost").pathname);
  const control = /^\/control\/([^/]+)(\/calls)?$/.exec(path);
  if (control) return handleControl(botOf(bots, control[1]!), request, response);
  const download = /^\/file\/bot(\d+:[\w-]+)\/(.+)$/.exec(path);
  if (download) return void response.end(botOf(bots, download[1]!).files[download[2]!] ?? `contents of ${download[2]}`);
  const call = /^\/bot(\d+:[\w-]+)\/(\w+)$/.exec(path);
  if (!call) return answer(response, 404, { ok: false, error_code: 404, description: "Not Found" });
  await handleCall(botOf(bots, call[1]!), Number.parseInt(call[1]!, 10), call[2]!, request, response);
}

function botOf(bots: Map<string, Bot>, token: string): Bot {
  const bot = bots.get(token) ?? {
    calls: [],
    script: [],
    nextMessageId: 1001,
    files: {},
    webhook: { url: "" },
    updates: [],
  };
  bots.set(token, bot);
  return bot;
}

async function handleControl(bot: Bot, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === "PUT") {
    const { answers, webhook, files, updates } = await readJson(request);
    if (updates !== undefined) bot.updates = updates as Bot["updates"];
    if (files !== undefined) bot.files = files as Record<string, string>;
    if (answers !== undefined) bot.script = answers as ScriptedAnswer[];
    if (webhook !== undefined) bot.webhook = webhook as Record<string, unknown>;
  }
  answer(response, 200, bot.calls);
}

async function handleCall(
  bot: Bot,
  botId: number,
  method: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const args = await readArgs(request);
  const at = bot.script.findIndex((scripted) => scripted.method === undefined || scripted.method === method);
  const [scripted] = at === -1 ? [] : bot.script.splice(at, 1);
  if (scripted?.cut === "before") return void request.socket.destroy();
  bot.calls.push({ method, args });
  if (scripted?.cut === "after") return void request.socket.destroy();
  if (scripted?.hang) return;
  if (scripted?.retryAfter !== undefined) return answer(response, 429, tooManyRequests(scripted.retryAfter));
  if (scripted?.location !== undefined) response.setHeader("Location", scripted.location);
  if (scripted) return answer(response, scripted.status ?? 200, scripted.body);
  const usual = usualAnswer(bot, botId, method, args);
  // Telegram waits for an update; a test need not wait as long.
  if (method === "getUpdates" && bot.updates.length === 0) await new Promise((next) => setTimeout(next, 200));
  answer(response, usual.ok ? 200 : usual.error_code, usual);
}

function tooManyRequests(seconds: number) {
  const description = `Too Many Requests: retry after ${seconds}`;
  return { ok: false, error_code: 429, description, parameters: { retry_after: seconds } };
}

type Answer = { ok: true; result: unknown } | { ok: false; error_code: number; description: string };

function usualAnswer(bot: Bot, botId: number, method: string, args: Record<string, unknown>): Answer {
  switch (method) {
    case "getMe":
      return { ok: true, result: { id: botId, is_bot: true, first_name: "Isopod", username: `isopod_${botId}_bot` } };
    case "sendMessage":
      return sendMessage(bot, args);
    case "sendPhoto":
    case "sendDocument":
    case "sendAudio":
    case "sendVoice":
    case "sendVideo": {
      const chat = { id: Number(args.chat_id), type: "private" };
      return { ok: true, result: { message_id: bot.nextMessageId++, date: 1_700_000_000, chat } };
    }
    case "setMessageReaction":
    case "answerCallbackQuery":
    case "editMessageReplyMarkup":
    case "sendChatAction":
    case "setMyCommands":
    case "setWebhook":
      return { ok: true, result: true };
    case "deleteWebhook":
      bot.webhook = { url: "" };
      return { ok: true, result: true };
    case "getUpdates": {
      // An update is forgotten once the number of a later one is asked for.
      bot.updates = bot.updates.filter(({ update_id }) => update_id >= Number(args.offset ?? 0));
      return { ok: true, result: bot.updates };
    }
    case "getWebhookInfo":
      return { ok: true, result: { has_custom_certificate: false, pending_update_count: 0, ...bot.webhook } };
    case "getFile": {
      const id = String(args.file_id);
      return { ok: true, result: { file_id: id, file_unique_id: `u-${id}`, file_size: 20, file_path: `files/${id}` } };
    }
    default:
      return { ok: false, error_code: 404, description: "Not Found: method not found" };
  }
}

/** Lengths and markup are checked as Telegram checks them. */
function sendMessage(bot: Bot, args: Record<string, unknown>): Answer {
  const parsed = args.parse_mode === "HTML" ? parseTelegramHtml(String(args.text)) : undefined;
  if (parsed?.ok === false) return badRequest(`can't parse entities: ${parsed.problem}`);
  const text = (parsed?.text ?? String(args.text)).trim();
  if (text === "") return badRequest("message text is empty");
  if (text.length > 4096) return badRequest("message is too long");
  const chat = { id: Number(args.chat_id), type: "private" };
  return { ok: true, result: { message_id: bot.nextMessageId++, date: 1_700_000_000, chat, text } };
}

function badRequest(problem: string): Answer {
  return { ok: false, error_code: 400, description: `Bad Request: ${problem}` };
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return chunks.length === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString());
}

/** The arguments of a call, in JSON or as a form with a file, of which its name, type and contents are kept. */
async function readArgs(request: IncomingMessage): Promise<Record<string, unknown>> {
  const type = request.headers["content-type"] ?? "";
  if (!type.startsWith("multipart/form-data")) return readJson(request);
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const form = await new Response(Buffer.concat(chunks), { headers: { "Content-Type": type } }).formData();
  const args: Record<string, unknown> = {};
  for (const [name, value] of form) {
    if (typeof value === "string") args[name] = /^[[{]|^-?\d+$/.test(value) ? JSON.parse(value) : value;
    else args[name] = { name: value.name, type: value.type, text: await value.text() };
  }
  return args;
}
