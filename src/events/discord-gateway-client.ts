import { z } from "zod";
import type { InboundEvent } from "../channels/channel.ts";
import { botToken, type DiscordContext, tokenMissing } from "../channels/discord/account.ts";
import { newToken } from "../channels/discord/application.ts";
import { findGateway, type NoGateway, openGateway } from "../channels/discord/gateway-address.ts";
import type { EarlierMessage } from "../channels/discord/gateway-event.ts";
import type { LookupMemory } from "../channels/discord/gateway-lookups.ts";
import { afterClose, type GatewayFrame, type GatewaySession, pauseMs } from "../channels/discord/gateway-protocol.ts";
import { shortDigest } from "../lib/digest.ts";
import { IsopodError, messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { createServices } from "../services/create-services.ts";
import { knowConfiguration } from "../services/current-config.ts";
import type { GatewayStatus } from "../services/discord-gateways.ts";
import type { OpenChannel, Services } from "../services/services.ts";
import { GatewayConnection } from "./discord-connection.ts";
import { takeGatewayEvent } from "./discord-events.ts";

const RECORD = "gateway";
/** How long what has to happen next may be late, when nothing else says so. */
const WATCH_MS = 60_000;
const HELLO_MS = 10_000;
/** A connection that lasted this long has not failed. */
const STABLE_MS = 60_000;
const HOUR_MS = 60 * 60_000;
/** Where a session cannot be resumed so often, another one is begun. */
const MAX_RESUMES = 3;
/** How often one event is tried: while a session does not answer, and for any other error. */
const MAX_TRIES = { unavailable: 20, other: 3 } as const;
/** Messages whose authors are remembered, for deletions. */
const MAX_EARLIER = 200;

/** What is stored. */
interface GatewayRecord {
  accountId: string;
  /** A digest of the token: with another one, all begins anew. */
  token?: string;
  session?: GatewaySession;
  /** When it is tried again, and why not now. */
  pause?: { until: number; failures: number; problem: string; fix?: string };
  earlier: [messageId: string, EarlierMessage][];
}

/** Keeps the connection of one account, and takes up what comes over it. */
export class GatewayClient {
  readonly #ctx: DurableObjectState;
  readonly #env: Env;
  readonly #lookups: LookupMemory = new Map();
  #record: GatewayRecord | undefined;
  #connection: GatewayConnection | undefined;
  #connectedAt: number | undefined;
  #tending: Promise<void> | undefined;
  /** Connections in a row that did not last. */
  #failures: number;
  /** Tries in a row to resume that have reached nobody. */
  #unreached = 0;
  /** The event that could not be taken up, and how often it was tried. */
  #tried = { seq: -1, times: 0 };

  constructor(ctx: DurableObjectState, env: Env) {
    this.#ctx = ctx;
    this.#env = env;
    this.#record = ctx.storage.kv.get<GatewayRecord>(RECORD);
    this.#failures = this.#record?.pause?.failures ?? 0;
  }

  async start(accountId: string, again: boolean): Promise<GatewayStatus> {
    if (this.#record === undefined) this.#save({ accountId, earlier: [] });
    if (again) this.#failures = 0;
    await this.tend(again);
    return this.status();
  }

  status(): GatewayStatus {
    if (this.#record === undefined) return { state: "off" };
    if (this.#connectedAt !== undefined) return { state: "connected", since: this.#connectedAt };
    const { pause } = this.#record;
    if (pause === undefined || this.#connection !== undefined) return { state: "connecting" };
    const { until, problem, fix } = pause;
    return { state: "waiting", until, problem, ...(fix !== undefined && { fix }) };
  }

  /** Does what is due: a heartbeat, a connection, or the end of it. Never rejects; one at a time. */
  tend(again = false): Promise<void> {
    this.#tending ??= this.#tend(again)
      .catch((error: unknown) => log("error", "gateway.failed", { channel: "discord", error: messageOf(error) }))
      .finally(() => {
        this.#tending = undefined;
      });
    return this.#tending;
  }

  async #tend(again: boolean): Promise<void> {
    if (this.#record === undefined) return;
    await this.#wakeIn(WATCH_MS);
    const beating = this.#connection;
    // Before the configuration is read, which may fail.
    const beatMs = beating?.beat();
    await knowConfiguration(this.#env, Date.now());
    const context = this.#open()?.open.context;
    if (context === undefined) return this.#switchOff();
    await this.#use(botToken(context) ?? "");
    if (this.#connection !== undefined && beating !== undefined && beatMs !== undefined) {
      this.#advance(this.#record?.session?.id, beating.takenSeq);
      return this.#wakeIn(beatMs);
    }
    const waitMs = (this.#record?.pause?.until ?? 0) - Date.now();
    if (waitMs > 0 && !again) return this.#wakeIn(waitMs);
    await this.#connect(context);
  }

  /** Forgets what belongs to another token. */
  async #use(token: string): Promise<void> {
    const digest = await shortDigest(token);
    if (this.#record === undefined || this.#record.token === digest) return;
    const { accountId, earlier } = this.#record;
    this.#leave();
    this.#failures = 0;
    this.#save({ accountId, earlier, token: digest });
  }

  /** The account, if it wants a connection. @throws IsopodError if the configuration cannot be read */
  #open(): { services: Services; open: OpenChannel & { context: DiscordContext } } | undefined {
    const services = createServices(this.#env, (work) => this.#ctx.waitUntil(work));
    try {
      const open = services.channel("discord", this.#record?.accountId ?? "");
      const context = open.context as DiscordContext;
      return context.account.gateway ? { services, open: { ...open, context } } : undefined;
    } catch (error) {
      if (error instanceof IsopodError && error.code === "not_found") return undefined;
      throw error;
    }
  }

  async #switchOff(): Promise<void> {
    this.#leave();
    this.#record = undefined;
    await this.#ctx.storage.deleteAll();
  }

  #leave(): void {
    this.#connection?.leave();
    this.#connection = undefined;
    this.#connectedAt = undefined;
  }

  async #connect(context: DiscordContext): Promise<void> {
    const { account } = context;
    const token = botToken(context);
    if (token === undefined) {
      const problem = tokenMissing(account);
      return this.#pause({ after: { kind: "stop", problem, fix: newToken(account) }, problem });
    }
    const session = this.#unreached < MAX_RESUMES ? this.#record?.session : undefined;
    const found = session ?? (await findGateway(context));
    if ("after" in found) return this.#pause(found);
    const socket = await openGateway(found.url, context);
    if ("after" in socket) {
      this.#unreached++;
      return this.#pause(socket);
    }
    const connection: GatewayConnection = new GatewayConnection(
      socket,
      {
        token,
        session,
        now: Date.now,
        chance: Math.random,
        afterClose: (code) => afterClose(code, account),
        beatsIn: (ms) => this.#ctx.waitUntil(this.#wakeIn(ms)),
        ready: (begun) => this.#ready(begun),
        take: (event) => this.#take(event),
        ended: (after, problem) => this.#ended(connection, { after, problem }),
      },
      HELLO_MS,
    );
    this.#connection = connection;
  }

  #ready(begun: GatewaySession | undefined): void {
    if (this.#record === undefined) return;
    this.#connectedAt = Date.now();
    this.#unreached = 0;
    const { pause: _, ...record } = this.#record;
    this.#save({ ...record, ...(begun && { session: begun }) });
    log("info", "gateway.connected", { channel: "discord", accountId: record.accountId, resumed: begun === undefined });
  }

  #ended(connection: GatewayConnection, why: NoGateway): void {
    if (connection !== this.#connection) return;
    this.#connection = undefined;
    this.#connectedAt = undefined;
    if (Date.now() - connection.openedAt >= STABLE_MS) this.#failures = -1;
    this.#ctx.waitUntil(this.#pause(why));
  }

  /** Stores why there is no connection, and arms the next try. */
  async #pause({ after, problem, leastMs = 0 }: NoGateway): Promise<void> {
    if (this.#record === undefined) return;
    this.#failures++;
    const soonMs = Math.max(pauseMs(this.#failures, Math.random()), leastMs);
    const waitMs = after.kind === "stop" ? HOUR_MS : soonMs;
    const { session, ...record } = this.#record;
    const pause = {
      ...{ until: Date.now() + waitMs, failures: this.#failures },
      ...(after.kind === "stop" ? { problem: after.problem, fix: after.fix } : { problem }),
    };
    this.#save({ ...record, ...(session && after.kind === "resume" && { session }), pause });
    log("info", "gateway.ended", { channel: "discord", accountId: record.accountId, reason: pause.problem, waitMs });
    await this.#wakeIn(waitMs);
  }

  /** Takes up an event. What cannot be taken up for good is logged and left out, so that others follow. */
  async #take(event: GatewayFrame): Promise<void> {
    const seq = event.s ?? 0;
    const sessionId = this.#record?.session?.id;
    try {
      const events = await this.#receive(event);
      for (const one of events) this.#remember(one);
      // What nobody was told of does no harm if it comes again.
      if (events.length > 0) this.#advance(sessionId, seq);
    } catch (error) {
      const times = this.#tried.seq === seq ? this.#tried.times + 1 : 1;
      this.#tried = { seq, times };
      if (times < mostTries(error)) throw error;
      log("error", "gateway.event_lost", { channel: "discord", kind: event.t ?? "", error: messageOf(error) });
      this.#advance(sessionId, seq);
    }
  }

  async #receive(event: GatewayFrame): Promise<readonly InboundEvent[]> {
    const opened = this.#open();
    const record = this.#record;
    if (opened === undefined || record?.session === undefined) return [];
    const earlier = (id: string) => record.earlier.find(([messageId]) => messageId === id)?.[1];
    return takeGatewayEvent(event, {
      ...opened,
      ...{ env: this.#env, database: this.#env.DB, memory: this.#lookups },
      known: { botId: record.session.botId, earlier },
      waitUntil: (work) => this.#ctx.waitUntil(work),
    });
  }

  #remember(event: InboundEvent): void {
    if (event.kind !== "message" || event.edited || this.#record === undefined) return;
    const { messageId, sender, conversation } = event;
    this.#record.earlier = [...this.#record.earlier.slice(1 - MAX_EARLIER), [messageId, { sender, conversation }]];
  }

  /** Events of a session up to this one do not come again. */
  #advance(sessionId: string | undefined, seq: number): void {
    const { session } = this.#record ?? {};
    if (this.#record === undefined || session === undefined || session.id !== sessionId || session.seq >= seq) return;
    this.#save({ ...this.#record, session: { ...session, seq } });
  }

  #save(record: GatewayRecord): void {
    this.#record = record;
    this.#ctx.storage.kv.put(RECORD, record);
  }

  async #wakeIn(ms: number): Promise<void> {
    await this.#ctx.storage.setAlarm(Date.now() + ms);
  }
}

/** An event that is not of the documented form stays so. */
function mostTries(error: unknown): number {
  if (error instanceof z.ZodError) return 1;
  return error instanceof IsopodError && error.code === "unavailable" ? MAX_TRIES.unavailable : MAX_TRIES.other;
}
