/** How long Discord takes answers to an interaction. */
export const REPLY_TOKEN_MS = 15 * 60_000;

/** With what an interaction is answered. */
export interface ReplyToken {
  applicationId: string;
  token: string;
  /** Whether the person sees that the bot is thinking until the first answer takes that place. */
  isAwaited: boolean;
  /** Milliseconds since the epoch. */
  cameAt: number;
}

/** A token as the text that the pipeline encrypts and stores. */
export function writeReplyToken({ applicationId, token, isAwaited, cameAt }: ReplyToken): string {
  return [isAwaited ? "awaited" : "press", cameAt, applicationId, token].join(" ");
}

/** Undefined for a text that `writeReplyToken` has not written. */
export function readReplyToken(text: string | undefined): ReplyToken | undefined {
  const [, how, cameAt, applicationId, token] = /^(awaited|press) (\d+) (\d+) (\S+)$/.exec(text ?? "") ?? [];
  if (applicationId === undefined || token === undefined) return undefined;
  return { applicationId, token, isAwaited: how === "awaited", cameAt: Number(cameAt) };
}
