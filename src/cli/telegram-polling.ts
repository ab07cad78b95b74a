import { setTimeout as sleep } from "node:timers/promises";

/** The longest that Telegram waits for an update before it answers, in seconds. */
const WAIT_SEC = 25;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
/** The kinds of updates that the channel reads. */
const KINDS = ["message", "edited_message", "channel_post", "edited_channel_post", "callback_query"];

/** A bot that is asked for its updates. */
export interface PolledBot {
  /** How notes call it. */
  name: string;
  apiBase: string;
  token: string;
  /** The local route that takes its updates, and the secret with which Telegram would call it. */
  webhookUrl: string;
  webhookSecret: string;
}

/** What polling depends on. */
export interface PollingDeps {
  /** Whether a webhook that is set at Telegram is removed. */
  takeOver: boolean;
  /** Tells the person at the terminal, once for each change. */
  note(text: string): void;
  signal: AbortSignal;
}

/** An answer of the Bot API. */
interface BotAnswer {
  ok: boolean;
  result?: unknown;
  error_code?: number;
  description?: string;
  parameters?: { retry_after?: number };
}

interface Update {
  update_id: number;
}

/**
 * Asks Telegram for a bot's updates and hands each to the local webhook, so that a bot works on a machine that Telegram
 * cannot call. Telegram forgets an update only when it is told the next one's number, which happens after the webhook has
 * answered 2xx. Ends with the signal, or where asking makes no sense. Never rejects.
 */
export async function pollTelegram(bot: PolledBot, { takeOver, note, signal }: PollingDeps): Promise<void> {
  const reporter = noteOnce(bot, note);
  if (!(await mayPoll(bot, { takeOver, note: reporter, signal }))) return;
  reporter(`${bot.name} gets its messages by asking Telegram from this machine.`);
  let offset: number | undefined;
  for (let failures = 0; !signal.aborted; ) {
    const args = { timeout: WAIT_SEC, allowed_updates: KINDS, ...(offset !== undefined && { offset }) };
    const answer = await callBot(bot, "getUpdates", args, signal);
    if (signal.aborted) return;
    if (answer?.ok) {
      failures = 0;
      for (const update of answer.result as Update[]) {
        if (!(await handOver(bot, update, reporter, signal))) return;
        offset = update.update_id + 1;
      }
      continue;
    }
    if (answer?.error_code === 401 || answer?.error_code === 404) {
      return reporter(`${bot.name}: Telegram does not know its token. Correct it in .dev.vars and start again.`);
    }
    const why =
      answer?.error_code === 409
        ? "another program asks for its updates, or its webhook was set meanwhile"
        : (answer?.description ?? "Telegram does not answer");
    reporter(`${bot.name} gets no messages now: ${why}. It is tried again.`);
    const pauseMs = (answer?.parameters?.retry_after ?? 0) * 1000 || FIRST_PAUSE_MS * 2 ** Math.min(failures++, 6);
    await pause(Math.min(pauseMs, LONGEST_PAUSE_MS), signal);
  }
}

/** Whether the bot has no webhook, or had one that is removed now. */
async function mayPoll(bot: PolledBot, { takeOver, note, signal }: PollingDeps): Promise<boolean> {
  for (let failures = 0; !signal.aborted; failures++) {
    const info = await callBot(bot, "getWebhookInfo", {}, signal);
    if (info?.ok) {
      const { url = "" } = info.result as { url?: string };
      if (url === "") return true;
      if (!takeOver) {
        note(
          `${bot.name}: Telegram calls ${url}, so its messages go there and not to this machine. ` +
            "npm start -- --take-over brings them here.",
        );
        return false;
      }
      const deleted = await callBot(bot, "deleteWebhook", {}, signal);
      if (deleted?.ok) return true;
    } else if (info?.error_code === 401 || info?.error_code === 404) {
      note(`${bot.name}: Telegram does not know its token. Correct it in .dev.vars and start again.`);
      return false;
    }
    note(`${bot.name} gets no messages now: ${info?.description ?? "Telegram does not answer"}. It is tried again.`);
    await pause(Math.min(FIRST_PAUSE_MS * 2 ** Math.min(failures, 6), LONGEST_PAUSE_MS), signal);
  }
  return false;
}

/** Hands an update to the local webhook until it is taken. False if it never will be, or the signal ended it. */
async function handOver(
  { name, webhookUrl, webhookSecret }: PolledBot,
  update: Update,
  note: (text: string) => void,
  signal: AbortSignal,
): Promise<boolean> {
  const headers = { "Content-Type": "application/json", "X-Telegram-Bot-Api-Secret-Token": webhookSecret };
  for (let failures = 0; !signal.aborted; failures++) {
    const request = { method: "POST", headers, body: JSON.stringify(update), signal };
    const response = await fetch(webhookUrl, request).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.ok) return true;
    if (response?.status === 401) {
      note(`${name}: Isopod refuses its messages, because the secret of its webhook is another one. Start again.`);
      return false;
    }
    // The update itself is not one that Isopod reads: it would be refused for ever.
    if (response?.status === 400 || response?.status === 413) {
      note(`${name}: the update ${update.update_id} was left out: Isopod answered ${response.status}.`);
      return true;
    }
    note(`${name}: Isopod does not take its messages now. They wait at Telegram, and it is tried again.`);
    await pause(Math.min(FIRST_PAUSE_MS * 2 ** Math.min(failures, 6), LONGEST_PAUSE_MS), signal);
  }
  return false;
}

/** Calls the Bot API; undefined where no answer came that can be read. Errors never name the token. */
async function callBot(
  { apiBase, token }: PolledBot,
  method: string,
  args: object,
  signal: AbortSignal,
): Promise<BotAnswer | undefined> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout((WAIT_SEC + 15) * 1000)]);
  const request = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(args) };
  try {
    const response = await fetch(`${apiBase.replace(/\/+$/, "")}/bot${token}/${method}`, { ...request, signal: limit });
    return (await response.json()) as BotAnswer;
  } catch (error) {
    if (error instanceof TypeError || error instanceof DOMException || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Notes a text unless it is the last one. */
function noteOnce({ token }: PolledBot, note: (text: string) => void): (text: string) => void {
  let last = "";
  return (text) => {
    if (text === last) return;
    last = text;
    note(`${text.replaceAll(token, "<token>")}\n`);
  };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
