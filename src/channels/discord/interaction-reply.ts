import { z } from "zod";
import { backoffMs } from "../../lib/backoff.ts";
import { sleep } from "../../lib/sleep.ts";
import type { Delivery } from "../channel.ts";
import type { PlatformAnswer } from "../platform-call.ts";
import type { DiscordContext } from "./account.ts";
import { callDiscord, refusalCode } from "./api.ts";
import { discordDelivery, unsentDelivery } from "./errors.ts";
import type { ReplyToken } from "./reply-token.ts";

/** The flag of a message that stands for "the bot is thinking". */
const LOADING = 128;
const original = z.object({ flags: z.int().default(0) });

/** The tokens of interactions that have their answer. */
const answered = new Set<string>();
/** Most tokens that an isolate remembers. */
const MAX_ANSWERED = 1000;

const UNKNOWN_MESSAGE = 10008;
const UNKNOWN_WEBHOOK = 10015;
/** Some interactions take five answers and no more. */
const TOO_MANY_ANSWERS = 40094;

/**
 * Answers an interaction. The first answer takes the place of "thinking", which it edits; the others follow it.
 * @param body JSON, or a form with a file
 * @returns undefined if Discord takes no answer with this token: nothing was sent
 */
export async function replyToInteraction(
  reply: ReplyToken,
  body: object | FormData,
  context: DiscordContext,
  signal: AbortSignal,
): Promise<Delivery | undefined> {
  const isWaiting = await isThinking(reply, context, signal);
  if (typeof isWaiting !== "boolean") {
    const looked = unsentDelivery(isWaiting, context.account);
    return looked.outcome === "retry" ? looked : undefined;
  }
  const request = isWaiting ? ({ method: "PATCH", path: ORIGINAL } as const) : ({ method: "POST", path: "" } as const);
  const answer = await call(reply, { ...request, body }, context, signal);
  if (isUsedUp(answer)) return undefined;
  if (answer.kind === "ok" && isWaiting) remember(reply);
  return discordDelivery(answer, context.account);
}

/** Takes "thinking" away, if that is still what the person sees. Failures are ignored. */
export async function endThinking(reply: ReplyToken, context: DiscordContext, signal: AbortSignal): Promise<void> {
  if ((await isThinking(reply, context, signal)) !== true) return;
  const answer = await call(reply, { method: "DELETE", path: ORIGINAL }, context, signal);
  if (answer.kind === "ok") remember(reply);
}

const ORIGINAL = "/messages/@original";

/** Whether the person sees that the bot is thinking; Discord's answer if it does not tell. */
async function isThinking(
  reply: ReplyToken,
  context: DiscordContext,
  signal: AbortSignal,
): Promise<boolean | Exclude<PlatformAnswer, { kind: "ok" }>> {
  if (!reply.isAwaited || answered.has(reply.token)) return false;
  const answer = await call(reply, { method: "GET", path: ORIGINAL }, context, signal);
  // The person has taken it away.
  if (refusalCode(answer) === UNKNOWN_MESSAGE) return false;
  if (answer.kind !== "ok") return answer;
  const isLoading = ((original.safeParse(answer.json).data?.flags ?? 0) & LOADING) !== 0;
  if (!isLoading) remember(reply);
  return isLoading;
}

/** Whether Discord knows no interaction with the token, or takes no more answers to it. */
function isUsedUp(answer: PlatformAnswer): boolean {
  return (
    answer.kind === "refused" && ([401, 403, 404].includes(answer.status) || refusalCode(answer) === TOO_MANY_ANSWERS)
  );
}

function remember({ token }: ReplyToken): void {
  if (answered.size >= MAX_ANSWERED) answered.clear();
  answered.add(token);
}

/** How long Discord may take to read the Worker's first answer; until then it knows no interaction with the token. */
const TAKEN_WITHIN_MS = 5000;
const TRIES = 4;
const PAUSE = { firstMs: 250 };

async function call(
  { applicationId, token, cameAt }: ReplyToken,
  { path, ...request }: { method: "GET" | "POST" | "PATCH" | "DELETE"; path: string; body?: object | FormData },
  context: DiscordContext,
  signal: AbortSignal,
): Promise<PlatformAnswer> {
  const whole = `/webhooks/${applicationId}/${encodeURIComponent(token)}${path}`;
  for (let tries = 1; ; tries++) {
    const answer = await callDiscord(context, { ...request, path: whole, interactionToken: token }, signal);
    const isYoung = context.now() - cameAt < TAKEN_WITHIN_MS;
    if (refusalCode(answer) !== UNKNOWN_WEBHOOK || !isYoung || tries === TRIES || signal.aborted) return answer;
    await sleep(backoffMs(tries - 1, PAUSE), signal);
  }
}
