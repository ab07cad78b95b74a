import { ApiError, requestOk, type Server } from "../client/http.ts";

const MINUTE_MS = 60_000;

/**
 * Lets the local clock tick once a minute, as Cloudflare's does: heartbeats and jobs run. A tick that fails is left to
 * the next one, which makes up for it.
 * @returns a function that stops it
 */
export function startTicks(server: Server, note: (text: string) => void): () => void {
  let isBroken = false;
  const tick = async () => {
    const time = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
    try {
      await requestOk(server, { path: `/cdn-cgi/local/scheduled?cron=*+*+*+*+*&time=${time}` });
      isBroken = false;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (!isBroken) note(`The clock of heartbeats and jobs did not tick: ${error.message}\n`);
      isBroken = true;
    }
  };
  let timer: NodeJS.Timeout;
  const plan = () => {
    timer = setTimeout(() => void tick().finally(plan), MINUTE_MS - (Date.now() % MINUTE_MS) + 100);
    timer.unref();
  };
  plan();
  return () => clearTimeout(timer);
}
