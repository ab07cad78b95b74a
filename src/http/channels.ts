import { type Context, Hono } from "hono";
import { receiveEvents } from "../inbound/receive-events.ts";
import { IsopodError } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { head } from "../lib/text.ts";
import type { OpenChannel, Services } from "../services/services.ts";
import { clientAddress, WrongAttempts } from "./attempts.ts";
import type { AppEnv } from "./context.ts";
import { answerWebhook } from "./webhook.ts";

/** `/channels/:channel/:account/webhook`, which platforms call. Answers 200 only once the message is stored. */
export const channelRoutes = new Hono<AppEnv>();

channelRoutes.all("/channels/:channel/:account/webhook", (c) => {
  const services = c.get("services");
  const { channel: channelId, account: accountId } = c.req.param();
  const open = openChannel(services, channelId, accountId);
  const deps = {
    ...{ services, env: c.env, database: c.env.DB, origin: new URL(c.req.url).origin },
    waitUntil: (work: Promise<unknown>) => c.executionCtx.waitUntil(work),
  };
  return answerWebhook(
    c.req.raw,
    open,
    (events) => receiveEvents(events, open, deps),
    (response) => refused(response, c),
  );
});

/** Wrong secrets and signatures as this isolate has seen them. */
const wrongSecrets = new WrongAttempts();

/** The refusal of a channel; after too many wrong secrets for one webhook from one address, 429. */
function refused(response: Response, c: Context<AppEnv>): Response {
  if (response.status !== 401) return response;
  const { retryAfterSec } = wrongSecrets.note(`${c.req.path} ${clientAddress(c.req.raw)}`, Date.now());
  if (retryAfterSec === undefined) return response;
  c.header("Retry-After", String(retryAfterSec));
  return c.json({ ok: false, error: "Too many wrong secrets. Wait, then send the right one." }, 429);
}

/**
 * The channel and account of a webhook's address. The address is public, so every mistake in it gets the same answer;
 * the log has the reason.
 * @throws IsopodError `not_found`
 */
function openChannel(services: Services, channelId: string, accountId: string): OpenChannel {
  try {
    const open = services.channel(channelId, accountId);
    // Pages have addresses of their own, with their own limits.
    if (open.channel.hasVisitors) throw new IsopodError("not_found", `${channelId} has no webhook`, "Use /messages.");
    return open;
  } catch (error) {
    if (!(error instanceof IsopodError) || error.code !== "not_found") throw error;
    log("info", "channel.unknown", { channel: head(channelId, 80), accountId: head(accountId, 80), hint: error.hint });
    throw new IsopodError("not_found", "There is no such webhook.", "The Worker's log says what is wrong.");
  }
}
