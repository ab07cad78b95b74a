import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { startBotApi } from "../fakes/bot-api.ts";
import { countedTurn, countsOf } from "./count.ts";
import { exchange, instant } from "./exchange.ts";
import { modelConfig, type Stage } from "./stage.ts";
import { type Spread, spread } from "./statistics.ts";

const CONVERSATIONS = 50;
const AT_ONCE = 200;
const ROUNDS = 5;
/** Until what an update has led to is over. */
const SETTLE_MS = 4_000;
const SECRET = "bench-webhook-secret";
const PATH = "/channels/telegram/default/webhook";

/** What acknowledging webhooks costs, in milliseconds, beside a floor that stores them; and what it asks of D1. */
export interface WebhookFindings {
  isopod: Spread;
  floor: Spread;
  /** Of the 95th percentiles. */
  ratio: number;
  /** Requests to D1 and R2 that an update of a known sender waits for. */
  d1: number;
  r2: number;
}

/** Sends many updates of Telegram at once, over many conversations, to Isopod and to a floor, in turns. */
export async function measureWebhooks(stage: Stage, { rounds = ROUNDS } = {}): Promise<WebhookFindings> {
  const [models, botApi] = [await stage.modelServer(), await startBotApi()];
  botApi.unref();
  const people = Array.from({ length: CONVERSATIONS }, (_, n) => 5_000 + n);
  const config = {
    ...modelConfig(models.url),
    session: { dmScope: "per-channel-peer" },
    commands: { ownerAllowFrom: people.map((id) => `telegram:${id}`) },
    channels: { telegram: { apiBase: botApi.url, username: "bench_bot", commandMenu: false } },
  };
  const secrets = { TELEGRAM_BOT_TOKEN: "5000000001:bench", TELEGRAM_WEBHOOK_SECRET: SECRET };
  const [isopod, floors] = [await stage.isopod(config, secrets, ["--no-poll"]), await stage.floors(models.url)];
  await Promise.all([stage.reachable(isopod), stage.reachable(floors)]);
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  let update = 0;
  const sendTo = {
    isopod: (person: number) => {
      const id = ++update;
      const from = { id: person, is_bot: false, first_name: "Ada" };
      const message = { message_id: id, date: 1, chat: { id: person, type: "private" }, from, text: "How are you?" };
      const headers = { "X-Telegram-Bot-Api-Secret-Token": SECRET };
      return exchange(agent, `${isopod.url}${PATH}`, { headers, body: { update_id: id, message } }, () => undefined);
    },
    floor: (person: number) => {
      const body = { model: "default", stream: true, messages: [{ role: "user", content: "How are you?" }] };
      return exchange(agent, `${floors.url}/accept?session=${person}`, { body }, () => undefined);
    },
  };
  const took = { isopod: [] as number[], floor: [] as number[] };
  for (let round = 0; round <= rounds; round++) {
    for (const name of ["isopod", "floor"] as const) {
      const all = Array.from({ length: AT_ONCE }, async (_, n) => {
        const sentAt = instant();
        await sendTo[name](people[n % CONVERSATIONS] ?? 0);
        return instant() - sentAt;
      });
      const seen = await Promise.all(all);
      // In the first round every session begins.
      if (round > 0) took[name].push(...seen);
      await sleep(SETTLE_MS);
    }
  }
  await isopod.stop();
  const counting = await stage.counting();
  await stage.reachable(counting);
  const [person = 0] = people;
  const known = async () => {
    const id = ++update;
    const from = { id: person, is_bot: false, first_name: "Ada" };
    const message = { message_id: id, date: 1, chat: { id: person, type: "private" }, from, text: "And you?" };
    const headers = { "X-Telegram-Bot-Api-Secret-Token": SECRET };
    await exchange(agent, `${counting.url}${PATH}`, { headers, body: { update_id: id, message } }, () => undefined);
  };
  await known();
  await countedTurn(counting.url);
  await countsOf(counting.url, { remoteMs: 150 });
  await known();
  const { beforeModel } = await countedTurn(counting.url);
  await Promise.all([counting.stop(), floors.stop(), models.stop(), botApi.close()]);
  const [own, least] = [spread(took.isopod), spread(took.floor)];
  return {
    ...{ isopod: own, floor: least, ratio: Math.round((own.p95 / least.p95) * 100) / 100 },
    ...{ d1: beforeModel.d1Answered, r2: beforeModel.r2Answered },
  };
}
