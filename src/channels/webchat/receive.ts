import { z } from "zod";
import type { InboundOutcome, ReceiveResult } from "../channel.ts";
import { announcesTooMuch, parseJson, readWebhookBody, refuse, refuseMethod, refuseSize } from "../webhook.ts";
import { isOff, type WebchatContext } from "./account.ts";
import { readVisitorToken, type Visitor } from "./visitor-token.ts";

/** A message as the chat box sends it; `id` is the browser's, the same when it is sent again. */
const visitorMessage = z.strictObject({
  id: z.string().regex(/^[\w-]{8,64}$/),
  text: z
    .string()
    .max(8_000)
    .refine((text) => text.trim() !== "", "there are no words in it"),
});

/** Takes a visitor's message from a page that may have the chat box. */
export async function receive(request: Request, context: WebchatContext): Promise<ReceiveResult> {
  const wrongMethod = refuseMethod(request);
  if (wrongMethod) return wrongMethod;
  const visitor = await visitorOf(request, context);
  if (visitor === undefined) return refuse("unauthorized", "The visitor's token is missing, wrong or too old.");
  if (announcesTooMuch(request)) return refuseSize();
  const body = await readWebhookBody(request);
  if (body === undefined) return refuseSize();
  const { data: said, error } = visitorMessage.safeParse(parseJson(body));
  if (said === undefined) return refuse("invalid_request", z.prettifyError(error));
  return {
    kind: "events",
    events: [
      {
        kind: "message",
        dedupeId: `${visitor.id}:${said.id}`,
        messageId: said.id,
        text: said.text,
        // A token proves that it is the same browser, and nothing of who sits before it.
        sender: { id: visitor.id, isUnverified: true },
        conversation: { kind: "direct", id: visitor.id },
        mentioned: true,
        attachments: [],
      },
    ],
    answer,
  };
}

/** The visitor who sends a request; undefined if none does, or not from a page that may have the chat box. */
export async function visitorOf(
  { headers }: Pick<Request, "headers">,
  context: WebchatContext,
): Promise<Visitor | undefined> {
  const origin = headers.get("Origin") ?? "";
  const token = /^Bearer (\S+)$/i.exec(headers.get("Authorization") ?? "")?.[1];
  if (token === undefined || isOff(context.account) || !context.account.allowedOrigins.includes(origin))
    return undefined;
  return readVisitorToken(token, origin, context);
}

function answer([outcome]: readonly InboundOutcome[]): Response {
  if (outcome === undefined || outcome.kind === "accepted") return Response.json({ ok: true });
  if (outcome.isUnwanted) {
    return Response.json({ error: { code: "forbidden", message: "Nobody may write here now." } }, { status: 403 });
  }
  const message = "That was too much at once. Wait a minute, then send it again.";
  return Response.json({ error: { code: "rate_limited", message } }, { status: 429, headers: { "Retry-After": "60" } });
}
