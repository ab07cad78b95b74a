import { toBase64Url } from "../../lib/base64.ts";
import type { WebchatContext } from "./account.ts";

const PURPOSE = "visitors of websites";
const ID_BYTES = 16;
const DAY_SECONDS = 86_400;

/** Longest token; a longer one is none of ours. */
const MAX_TOKEN_CHARS = 400;

/** A visitor as one page's origin knows it. */
export interface Visitor {
  id: string;
  /** In seconds since the epoch. */
  expiresAt: number;
}

/** A visitor who was never here. */
export function newVisitor(context: WebchatContext): Visitor {
  return renewed({ id: `v${toBase64Url(crypto.getRandomValues(new Uint8Array(ID_BYTES)))}` }, context);
}

/** The same visitor, for as long as the account says from now on. */
export function renewed({ id }: Pick<Visitor, "id">, { account, now }: WebchatContext): Visitor {
  return { id, expiresAt: Math.floor(now() / 1000) + account.visitorDays * DAY_SECONDS };
}

/**
 * What a browser shows to be the visitor again, on pages of one origin and to one account.
 * @throws Error without a data key
 */
export async function visitorToken(
  { id, expiresAt }: Visitor,
  origin: string,
  context: WebchatContext,
): Promise<string> {
  if (context.dataKey === undefined) throw new Error("There is no data key.");
  const signature = await context.dataKey.sign(claims({ id, expiresAt }, origin, context), PURPOSE);
  return `${id}.${expiresAt}.${signature}`;
}

/** The visitor of a token; undefined if it is not valid, or not on pages of this origin. */
export async function readVisitorToken(
  token: string,
  origin: string,
  context: WebchatContext,
): Promise<Visitor | undefined> {
  if (context.dataKey === undefined || token.length > MAX_TOKEN_CHARS) return undefined;
  const [id = "", until = "", signature = "", ...more] = token.split(".");
  const visitor = { id, expiresAt: Number(until) };
  if (more.length > 0 || !(await context.dataKey.verify(claims(visitor, origin, context), signature, PURPOSE))) {
    return undefined;
  }
  return visitor.expiresAt * 1000 > context.now() ? visitor : undefined;
}

function claims({ id, expiresAt }: Visitor, origin: string, { accountId }: WebchatContext): string {
  return JSON.stringify([accountId, origin, id, expiresAt]);
}
