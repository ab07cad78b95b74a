import { startBotApi } from "../fakes/bot-api.ts";
import { startCounter } from "../fakes/counter.ts";
import type { LocalServer } from "../fakes/listen.ts";
import { startPlatforms } from "../fakes/platforms/server.ts";
import { CHANNEL_SECRETS, type Chat, channelsAt, receiverIn, type Servers } from "./chats.ts";
import type { Client } from "./client.ts";
import type { Faults } from "./faults.ts";
import { type Passage, startGate } from "./gate.ts";
import { Isopod } from "./isopod.ts";
import { type ModelRequest, startProvider } from "./provider.ts";
import { between, randomOf } from "./random.ts";
import { Watch } from "./watch.ts";

const TOKEN = "torture";
/** The agent that has heartbeats. */
export const BEATING = "beat";

/** Isopod with everything around it, on loopback. */
export class Stage {
  readonly watch: Watch;
  readonly isopod: Isopod;
  readonly client: Client;
  readonly servers: Servers;
  /** How often each call of a tool took effect. */
  readonly counts: ReadonlyMap<string, number>;
  /** What the model was asked. */
  readonly requests: readonly ModelRequest[];
  readonly faults: Faults;
  readonly #close: () => Promise<void>;

  private constructor(
    watch: Watch,
    isopod: Isopod,
    outside: Pick<Stage, "servers" | "counts" | "requests" | "faults">,
    close: () => Promise<void>,
  ) {
    this.watch = watch;
    this.isopod = isopod;
    this.client = { url: isopod.url, token: TOKEN };
    this.servers = outside.servers;
    this.counts = outside.counts;
    this.requests = outside.requests;
    this.faults = outside.faults;
    this.#close = close;
  }

  /** Starts everything, for owners with these chats; Isopod's state and logs go into `folder`. */
  static async open(folder: string, owners: readonly Chat[], faults: Faults): Promise<Stage> {
    const watch = new Watch();
    const [models, counter, botApi, platforms] = await Promise.all([
      startProvider(watch, faults),
      startCounter(),
      startBotApi(),
      startPlatforms(),
    ]);
    const tools = await startGate(counter.url, "tool", watch, passageOfCall);
    const gateTo = ({ url }: LocalServer) =>
      startGate(url, "delivery", watch, (path, body) => passageOfDelivery(path, body, faults));
    const [toBotApi, toPlatforms] = [await gateTo(botApi), await gateTo(platforms)];
    const outside = [models, counter, botApi, platforms, tools, toBotApi, toPlatforms];
    const closeOutside = async () => {
      await Promise.all(outside.map((server) => server.close()));
    };
    try {
      const isopod = await Isopod.start(
        folder,
        variables({ models: models.url, counter: tools.url, botApi: toBotApi.url, platforms: toPlatforms.url }, owners),
      );
      return new Stage(
        watch,
        isopod,
        {
          servers: { botApi: botApi.url, platforms: platforms.url },
          counts: counter.counts,
          requests: models.requests,
          faults,
        },
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

/** Only messages are slow; whatever else a channel asks is answered at once. */
function passageOfDelivery(path: string, body: string, faults: Faults): Passage | undefined {
  const receiver = receiverIn(path, body);
  if (receiver === undefined) return undefined;
  const random = randomOf(body);
  const [beforeMs, afterMs] = [between(random, 5, 40), between(random, 5, 40)];
  return {
    name: `to ${receiver}`,
    beforeMs,
    afterMs,
    lostWhenCut: random() < 0.5,
    fault: faults.ofDelivery(body),
  };
}

function variables(
  { models, counter, ...servers }: Servers & { models: string; counter: string },
  owners: readonly Chat[],
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
    commands: { ownerAllowFrom: owners.map(({ platform, id }) => `${platform}:${id}`) },
    channels: channelsAt(servers),
  };
  return {
    ISOPOD_TOKEN: TOKEN,
    ISOPOD_HOST: "workerd",
    ISOPOD_CONFIG: JSON.stringify(config),
    ...CHANNEL_SECRETS,
    TORTURE_COUNTER: counter,
  };
}
