import { log } from "../../lib/log.ts";
import { fromHex, isHmac } from "../../security/hmac.ts";
import type { ReceiveResult } from "../channel.ts";
import { announcesTooMuch, ignore, parseJson, readWebhookBody, refuse, refuseMethod, refuseSize } from "../webhook.ts";
import { type GithubContext, githubLogin, loginMissing } from "./account.ts";
import { readEvent } from "./event.ts";
import { identify } from "./identity.ts";
import { isAgent, toInbound } from "./inbound.ts";

/** Receives one delivery of a webhook: verified, then parsed. */
export async function receive(request: Request, context: GithubContext): Promise<ReceiveResult> {
  const wrongMethod = refuseMethod(request);
  if (wrongMethod) return wrongMethod;
  if (announcesTooMuch(request)) return refuseSize();
  const { account, accountId, secret } = context;
  const webhookSecret = secret(account.webhookSecret);
  if (!webhookSecret) {
    log("error", "channel.not_configured", { channel: "github", accountId, variable: account.webhookSecret.id });
    return refuse("unauthorized", `Set ${account.webhookSecret.id} to the secret of the webhook.`);
  }
  const body = await readWebhookBody(request);
  if (body === undefined) return refuseSize();
  const signature = /^sha256=([\da-f]{64})$/i.exec(request.headers.get("X-Hub-Signature-256") ?? "")?.[1];
  if (signature === undefined || !(await isHmac("SHA-256", webhookSecret, body, fromHex(signature)))) {
    return refuse("unauthorized", "The signature is wrong.");
  }
  const event = readEvent(request.headers.get("X-GitHub-Event") ?? "", parseBody(request, body));
  if (event.kind === "invalid") return refuse("invalid_request", `Not a webhook of GitHub: ${event.problem}`);
  if (event.kind === "other") return ignore(event.reason);
  const { sender } = event.payload;
  if (sender.type === "Bot" && !account.allowBots) return ignore("a bot did it");
  const login = githubLogin(context);
  if (login === undefined) return refuse("unavailable", loginMissing(account));
  const username = await identify(context, login);
  if (username === undefined) return refuse("unavailable", "GitHub does not answer who the agent is.");
  if (isAgent(sender, username)) return ignore("the agent did it");
  const { alsoAddressedBy } = account;
  const read = toInbound(event.payload, { name: event.name, username, alsoAddressedBy });
  return read.kind === "ignored" ? ignore(read.reason) : { kind: "events", events: [read] };
}

/** A webhook may send forms, in which the payload is a field. */
function parseBody(request: Request, body: Uint8Array<ArrayBuffer>): unknown {
  const isForm = request.headers.get("Content-Type")?.startsWith("application/x-www-form-urlencoded") ?? false;
  if (!isForm) return parseJson(body);
  const field = new URLSearchParams(new TextDecoder().decode(body)).get("payload") ?? "";
  return parseJson(new TextEncoder().encode(field));
}
