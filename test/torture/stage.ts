import { startBotApi } from "../fakes/bot-api.ts";
import { startCounter } from "../fakes/counter.ts";
import type { Client } from "./client.ts";
import type { Faults } from "./faults.ts";
import { type Passage, startGate } from "./gate.ts";
import { Isopod } from "./isopod.ts";
import { type ModelRequest, startProvider } from "./provider.ts";
import { between, randomOf } from "./random.ts";
import { WEBHOOK_SECRET } from "./sender.ts";
import { Watch } from "./watch.ts";

export const BOT_TOKEN = "7000000001:torture";
const TOKEN = "torture";
/** The agent that has heartbeats. */
export const BEATING = "beat";

/** Isopod with everything around it, on loopback. */
export class Stage {
  readonly watch: Watch;
  readonly isopod: Isopod;
  readonly client: Client;
  /** Address of the fake Bot API. */
  readonly botApi: string;
  /** How often each call of a tool took effect. */
  readonly counts: ReadonlyMap<string, number>;
  /** What the model was asked. */
  readonly requests: readonly ModelRequest[];
  readonly faults: Faults;
  readonly #close: () => Promise<void>;

  private constructor(
    watch: Watch,
    isopod: Isopod,
    outside: Pick<Stage, "botApi" | "counts" | "requests" | "faults">,
    close: () => Promise<void>,
  ) {
    this.watch = watch;
    this.isopod = isopod;
    this.client = { url: isopod.url, token: TOKEN };
    this.botApi = outside.botApi;
    this.counts = outside.counts;
    this.requests = outside.requests;
    this.faults = outside.faults;
    this.#close = close;
  }

  /** Starts everything, for owners with these ids at Telegram; Isopod's state and logs go into `folder`. */
  static async open(folder: string, owners: readonly number[], faults: Faults): Promise<Stage> {
    const watch = new Watch();
    const [models, counter, botApi] = await Promise.all([startProvider(watch, faults), startCounter(), startBotApi()]);
    const tools = await startGate(counter.url, "tool", watch, passageOfCall);
    const bot = await startGate(botApi.url, "delivery", watch, (path, body) => passageOfDelivery(path, body, faults));
    const outside = [models, counter, botApi, tools, bot];
    const closeOutside = async () => {
      await Promise.all(outside.map((server) => server.close()));
    };
    try {
      const isopod = await Isopod.start(
        folder,
        variables({ models: models.url, counter: tools.url, botApi: bot.url }, owners),
      );
      return new Stage(
        watch,
        isopod,
        { botApi: botApi.url, counts: counter.counts, requests: models.requests, faults },
        async () => {
          await isopod.stop();
          await closeOutside();
        },
      );
    } catch (error) {
      await closeOutside();
      throw error;
    }
  }

  /** Ends everything that was started. */
  close(): Promise<void> {
    return this.#close();
  }
}

/** So small that conversations are shortened again and again. */
const SMALL_CONTEXT = {
  contextTokens: 7_000,
  compaction: { reserveTokens: 1500, keepRecentTokens: 500, memoryFlush: { softThresholdTokens: 400 } },
};
const PRICED = { cost: { input: 1, output: 2 } };

/** A call takes effect half-way through the time that it asks for. */
function passageOfCall(path: string): Passage {
  const { pathname, searchParams } = new URL(path, "http://localhost");
  const halfMs = Number(searchParams.get("holdMs")) / 2;
  const callId = pathname.split("/").at(-1) ?? "";
  return { name: callId, beforeMs: halfMs, afterMs: halfMs, lostWhenCut: randomOf(callId)() < 0.5 };
}

/** Only messages are slow; whatever else a bot asks is answered at once. */
function passageOfDelivery(path: string, body: string, faults: Faults): Passage | undefined {
  if (!path.endsWith("/sendMessage")) return undefined;
  const random = randomOf(body);
  const [beforeMs, afterMs] = [between(random, 5, 40), between(random, 5, 40)];
  return {
    name: `to ${JSON.parse(body).chat_id}`,
    beforeMs,
    afterMs,
    lostWhenCut: random() < 0.5,
    fault: faults.ofDelivery(body),
  };
}

function variables(
  { models, counter, botApi }: { models: string; counter: string; botApi: string },
  owners: readonly number[],
): Record<string, string> {
  const config = {
    agents: {
      defaults: { model: "torture/scripted", ...SMALL_CONTEXT },
      list: [
        { id: "main", default: true },
        { id: BEATING, heartbeat: { every: "2m", target: "none", isolatedSession: true } },
      ],
    },
    models: {
      providers: {
        torture: { baseUrl: `${models}/v1`, api: "openai-completions", models: [{ id: "scripted", ...PRICED }] },
      },
    },
    session: { dmScope: "per-channel-peer" },
    commands: { ownerAllowFrom: owners.map((id) => `telegram:${id}`) },
    channels: {
      telegram: {
        accounts: { default: { apiBase: botApi, username: "torture_bot", replyToMode: "all", commandMenu: false } },
      },
    },
  };
  return {
    ISOPOD_TOKEN: TOKEN,
    ISOPOD_HOST: "workerd",
    ISOPOD_CONFIG: JSON.stringify(config),
    TELEGRAM_BOT_TOKEN: BOT_TOKEN,
    TELEGRAM_WEBHOOK_SECRET: WEBHOOK_SECRET,
    TORTURE_COUNTER: counter,
  };
}
