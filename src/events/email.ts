import { accountFor, type EmailAccount, type EmailContext } from "../channels/email/account.ts";
import { MAX_EMAIL_BYTES, receiveEmail } from "../channels/email/receive.ts";
import { receiveEvents } from "../inbound/receive-events.ts";
import { log } from "../lib/log.ts";
import { readCapped } from "../lib/read-capped.ts";
import { createServices } from "../services/create-services.ts";
import { knowConfiguration } from "../services/current-config.ts";

/**
 * Takes a mail that Email Routing hands over. When this returns, the mail is stored by a session, is nothing for the
 * agent, or its server was told that it is not taken. The same mail again is the same run.
 * @throws any error of D1, R2 or a session: its server then sends the mail again
 */
export async function receiveMail(message: ForwardableEmailMessage, env: Env, ctx: ExecutionContext): Promise<void> {
  const waitUntil = (work: Promise<unknown>) => ctx.waitUntil(work);
  await knowConfiguration(env, Date.now());
  const services = createServices(env, waitUntil);
  const accounts = services.config.channels.email?.accounts ?? {};
  const accountId = accountFor(message.to, accounts as Record<string, EmailAccount>);
  if (accountId === undefined) return refuse(message, "There is no such mailbox here.");
  const raw = await readCapped(message.raw, MAX_EMAIL_BYTES);
  if (raw === undefined) return refuse(message, `The message is over ${MAX_EMAIL_BYTES} bytes.`);
  const open = services.channel("email", accountId);
  const note = (reason: string) => log("info", "channel.ignored", { channel: "email", accountId, reason });
  const received = await receiveEmail({ from: message.from, to: message.to, raw }, open.context as EmailContext);
  if (received.kind === "rejected") return refuse(message, received.reason);
  if (received.kind === "answered") return note(received.reason);
  const outcomes = await receiveEvents(received.events, open, { services, env, database: env.DB, waitUntil });
  for (const outcome of outcomes) {
    if (outcome.kind !== "ignored") continue;
    note(outcome.reason);
    if (outcome.isUnwanted) await refuse(message, "This mailbox takes no mail from you.");
  }
}

/** The server that brings the mail is told, while it is connected: nothing is sent to an address that may be forged. */
async function refuse(message: ForwardableEmailMessage, reason: string): Promise<void> {
  log("info", "email.refused", { reason });
  // Called through another Worker, it is a call that has to arrive.
  await message.setReject(reason);
}
