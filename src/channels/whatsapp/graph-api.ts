import { z } from "zod";
import type { Delivery } from "../channel.ts";
import { callPlatform, deliveryOf, type PlatformAnswer, type PlatformRequest } from "../platform-call.ts";
import { type Credentials, credentials, credentialsMissing, type WhatsAppContext } from "./account.ts";
import { type GraphError, graphError, inWords } from "./graph-error.ts";

type Refused = Extract<PlatformAnswer, { kind: "refused" }>;

/** The answer to a request. `error` is Meta's own, which a proxy that answers in its place does not give. */
export type GraphAnswer = Exclude<PlatformAnswer, Refused> | (Refused & { error?: GraphError });

/** A request to the Graph API. */
export interface GraphRequest extends Pick<PlatformRequest, "method" | "body" | "secrets"> {
  /** Below the version, without a slash. */
  path: string;
}

const refusal = z.object({ error: graphError });

/** Codes of limits on how fast an app, an account or a pair of numbers may send: nothing was sent. */
const TOO_FAST: ReadonlySet<number> = new Set([4, 80007, 130429, 131056]);

/** Calls the Graph API once. Never throws. */
export async function callGraph(
  context: WhatsAppContext,
  { token }: Credentials,
  { path, secrets = [], ...request }: GraphRequest,
  signal: AbortSignal,
): Promise<GraphAnswer> {
  const url = `${context.account.apiBase.replace(/\/+$/, "")}/${path}`;
  const headers = { Authorization: `Bearer ${token}` };
  const answer = await callPlatform(context, { url, headers, ...request, secrets: [token, ...secrets] }, signal);
  const error = answer.kind === "refused" ? refusal.safeParse(answer.json).data?.error : undefined;
  if (answer.kind !== "refused" || error === undefined) return answer;
  return { ...answer, error, status: TOO_FAST.has(error.code) ? 429 : answer.status };
}

/** Makes a request for an account that has everything it needs. */
export async function withCredentials(
  context: WhatsAppContext,
  send: (credentials: Credentials) => Promise<Delivery>,
): Promise<Delivery> {
  const found = credentials(context);
  return found === undefined ? { outcome: "failed", reason: credentialsMissing(context.account) } : send(found);
}

const sentMessages = z.object({ messages: z.array(z.object({ id: z.string() })).min(1) });

/** The outcome of a message. */
export function messageDelivery(answer: GraphAnswer, { account }: WhatsAppContext): Delivery {
  return deliveryOf(answer, {
    platform: "WhatsApp",
    externalId: (json) => sentMessages.safeParse(json).data?.messages[0]?.id,
    explain: () => ("error" in answer && answer.error ? inWords(answer.error, account) : undefined),
  });
}
