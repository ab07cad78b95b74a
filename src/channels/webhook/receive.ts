import { z } from "zod";
import { IsopodError, messageOf } from "../../lib/errors.ts";
import type { Json, JsonObject } from "../../lib/json.ts";
import { log } from "../../lib/log.ts";
import { EgressError } from "../../security/egress-error.ts";
import { isSigned, WEBHOOK_HEADERS } from "../../security/standard-webhooks.ts";
import type { ReceiveResult } from "../channel.ts";
import { announcesTooMuch, parseJson, readWebhookBody, refuse, refuseMethod, refuseSize } from "../webhook.ts";
import { accountKeys, type WebhookContext } from "./account.ts";
import { readBody } from "./body.ts";

/** Longest `webhook-id`: it is the message's id. */
const MAX_ID_CHARS = 200;

/** Takes a request that is signed after Standard Webhooks. Nothing enters while the secret is not set. */
export async function receive(request: Request, context: WebhookContext): Promise<ReceiveResult> {
  const wrongMethod = refuseMethod(request);
  if (wrongMethod) return wrongMethod;
  if (announcesTooMuch(request)) return refuseSize();
  const body = await readWebhookBody(request);
  if (body === undefined) return refuseSize();
  if (!(await isFromService(request.headers, body, context))) {
    return refuse("unauthorized", "The signature is wrong or older than five minutes.");
  }
  const id = request.headers.get(WEBHOOK_HEADERS.id) ?? "";
  if (id.length > MAX_ID_CHARS) return refuse("invalid_request", `webhook-id: use at most ${MAX_ID_CHARS} characters.`);
  const json = parseJson(body);
  if (json === undefined) return refuse("invalid_request", "The body is not JSON in UTF-8.");
  const read = readBody(json as Json, id, context.accountId);
  if (read.kind === "invalid") return refuse("invalid_request", read.problem);
  return { kind: "events", events: [read.message] };
}

async function isFromService(
  headers: Headers,
  body: Uint8Array<ArrayBuffer>,
  context: WebhookContext,
): Promise<boolean> {
  const keys = accountKeys(context);
  if (keys.secrets.length + keys.publicKeys.length === 0) {
    const { accountId, account } = context;
    log("error", "channel.not_configured", { channel: "webhook", accountId, variable: account.secret.id });
    return false;
  }
  return isSigned(headers, body, keys, context.now());
}

const fileReference = z.object({ url: z.string() });

/** Downloads an attachment through the guarded egress. @throws IsopodError `unavailable` */
export async function openAttachment(
  reference: JsonObject,
  { fetch }: WebhookContext,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const { url } = fileReference.parse(reference);
  const response = await fetch(url, { signal }).catch((error: unknown) => {
    const hint = error instanceof EgressError ? error.hint : undefined;
    throw new IsopodError("unavailable", `The download failed: ${messageOf(error)}`, hint);
  });
  if (response.ok && response.body) return response.body;
  await response.body?.cancel();
  throw new IsopodError("unavailable", `The download failed: ${new URL(url).host} answered ${response.status}.`);
}
