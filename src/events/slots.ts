import { z } from "zod";
import { agentIds } from "../config/agents.ts";
import { newRunId } from "../config/session-ids.ts";
import { locationOf } from "../config/session-location.ts";
import { peopleRoutes } from "../inbound/people-routes.ts";
import {
  activeHeartbeat,
  heartbeatRequest,
  jobRequest,
  type PeopleRoutes,
  type SlotRequest,
} from "../inbound/slot-requests.ts";
import { atMost } from "../lib/at-most.ts";
import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { nextHeartbeat } from "../schedule/heartbeat-times.ts";
import type { Job } from "../schedule/job.ts";
import { nextRun } from "../schedule/schedule.ts";
import {
  agentsWithWakeTexts,
  currentEntries,
  extendLeases,
  settleSlots,
  takeWakeTexts,
} from "../schedule/schedule-store.ts";
import type { ScheduleEntry, SettledSlot, Slot } from "../schedule/slots.ts";
import { addressOf } from "../services/call-session.ts";
import { createServices } from "../services/create-services.ts";
import { knowConfiguration } from "../services/current-config.ts";
import { laneCap } from "../services/lane-cap.ts";
import { agentIn, type Services } from "../services/services.ts";
import { callSession } from "../session/api.ts";
import { isEffectivelyEmpty } from "../workspace/bootstrap.ts";
import { WorkspaceError } from "../workspace/workspace.ts";
import type { RunSlots } from "./due-slots.ts";

/** Seconds before a failed message is retried, times its attempts. */
const RETRY_SECONDS = 5;
/** Seconds before slots that found no room in the lane are tried again. */
const PACE_SECONDS = 5;
/** Requests to sessions and stores at the same time; the platform has six connections. */
const AT_ONCE = 6;

const runSlots = z.object({
  kind: z.literal("run-slots"),
  at: z.number(),
  slots: z.array(z.object({ id: z.string().min(1).max(300), dueAt: z.number() })).max(1000),
}) satisfies z.ZodType<RunSlots>;

/**
 * Brings due slots to their sessions. A session takes up a slot once, and a slot that is settled is left out, so a
 * message may come twice and at the same time. What finds no room in the lane is sent again, which is no attempt; what
 * fails is retried.
 */
export async function consumeSlots(messages: readonly Message[], env: Env, ctx: ExecutionContext): Promise<void> {
  for (const message of messages) {
    try {
      const { at, slots } = runSlots.parse(message.body);
      await knowConfiguration(env, Date.now());
      const services = createServices(env, (promise) => ctx.waitUntil(promise));
      const { waiting, failed } = await new SlotRunner(env, services, at).run(slots);
      if (waiting.length > 0) {
        await extendLeases(env.DB, waiting, at);
        const body: RunSlots = { kind: "run-slots", at, slots: waiting };
        await env.SCHEDULE.send(body, { delaySeconds: PACE_SECONDS });
      }
      if (failed === undefined) message.ack();
      else throw failed;
    } catch (error) {
      log("warn", "slots.failed", { messageId: message.id, attempts: message.attempts, error: messageOf(error) });
      message.retry({ delaySeconds: RETRY_SECONDS * message.attempts });
    }
  }
}

/** What a slot comes to: a request to a session, or nothing, for a reason. */
type Plan = { entry: ScheduleEntry; slot: Slot; nextAt: number | undefined } & (
  | ({ kind: "run" } & SlotRequest)
  | { kind: "skip"; reason: string; emptyEtag?: string }
);

/** The slots of one message. */
class SlotRunner {
  readonly #env: Env;
  readonly #services: Services;
  /** The time of the clock's event that claimed them. */
  readonly #at: number;

  constructor(env: Env, services: Services, at: number) {
    this.#env = env;
    this.#services = services;
    this.#at = at;
  }

  /** @returns the slots that found no room in the lane, and an error if a session or a store did not answer */
  async run(slots: readonly Slot[]): Promise<{ waiting: Slot[]; failed: Error | undefined }> {
    const { DB } = this.#env;
    const entries = await currentEntries(DB, slots);
    const agents = [...new Set(entries.map(({ agentId }) => agentId))];
    const people = await peopleRoutes(DB, this.#services, agents);
    const withTexts = await agentsWithWakeTexts(DB, agents);
    const failures: unknown[] = [];
    const planned = await atMost(AT_ONCE, entries, async (entry) => {
      try {
        return [await this.#plan(entry, people.get(entry.agentId) ?? NOBODY, withTexts.has(entry.agentId))];
      } catch (error) {
        failures.push(error);
        return [];
      }
    });
    const plans = planned.flat();
    const wanted = await Promise.all(plans.flatMap((plan) => (plan.kind === "run" ? [this.#addressed(plan)] : [])));
    const admitted = await this.#admit(wanted.map(({ runId }) => runId));
    const settled: SettledSlot[] = plans.flatMap((plan) => (plan.kind === "skip" ? [skipped(plan)] : []));
    const waiting: Slot[] = wanted.filter(({ runId }) => !admitted.has(runId)).map(({ plan }) => plan.slot);
    await atMost(
      AT_ONCE,
      wanted.filter(({ runId }) => admitted.has(runId)),
      async ({ plan, runId, address }) => {
        try {
          const { revision: configRevision } = this.#services;
          const accept = { ...plan.request, runId, configRevision };
          const accepted = await callSession(this.#env, address, (session) => session.accept(accept));
          settled.push({ ...accountOf(plan), status: "dispatched", reason: plan.reason, ...accepted });
        } catch (error) {
          failures.push(error);
        }
      },
    );
    await settleSlots(DB, settled, Date.now());
    const [first] = failures;
    if (first !== undefined) log("warn", "slots.not_all", { failed: failures.length, error: messageOf(first) });
    return { waiting, failed: first === undefined ? undefined : new Error(messageOf(first)) };
  }

  async #plan(entry: ScheduleEntry, people: PeopleRoutes, hasTexts: boolean): Promise<Plan> {
    const slot = { id: entry.id, dueAt: entry.dueAt ?? 0 };
    const { config } = this.#services;
    const skip = (reason: string, more: { nextAt?: number | undefined; emptyEtag?: string } = {}): Plan => {
      const { nextAt, ...rest } = more;
      return { kind: "skip", entry, slot, nextAt, reason, ...rest };
    };
    if (!agentIds(config).includes(entry.agentId)) return skip("the agent is not configured any more");
    const agent = agentIn(this.#services, entry.agentId);
    const zone = agent.defaults.userTimezone ?? "UTC";
    if (entry.kind === "job") {
      const job = entry.job as Job;
      const nextAt = job.enabled ? nextRun(job.schedule, Math.max(this.#at, slot.dueAt), zone) : undefined;
      if (!job.enabled) return skip("the job is paused");
      if (!config.cron.enabled) return skip("cron.enabled is false", { nextAt });
      return { kind: "run", entry, slot, nextAt, ...jobRequest({ entry, slot, agent, job }, people, this.#services) };
    }
    const block = activeHeartbeat(config, entry.agentId, entry);
    if (block === undefined) return skip("it is switched off");
    const nextAt = nextHeartbeat(block, agent.id, zone, Math.max(this.#at, slot.dueAt));
    const emptyEtag = hasTexts ? undefined : await this.#emptyEtag(entry);
    if (emptyEtag !== undefined) return skip("HEARTBEAT.md has nothing to do", { nextAt, emptyEtag });
    const texts = hasTexts ? await takeWakeTexts(this.#env.DB, agent.id, slot.dueAt) : [];
    const wanted = heartbeatRequest({ entry, slot, agent, texts }, block, people, this.#services);
    return { kind: "run", entry, slot, nextAt, ...wanted };
  }

  /** The version of an agent's HEARTBEAT.md if it has nothing to do; undefined if it has, or if there is none. */
  async #emptyEtag({ agentId, emptyEtag }: ScheduleEntry): Promise<string | undefined> {
    const workspace = this.#services.workspaceOf(agentIn(this.#services, agentId));
    try {
      const { etag } = await workspace.stat("HEARTBEAT.md");
      if (etag === emptyEtag) return etag;
      const { bytes, file } = await workspace.read("HEARTBEAT.md");
      return isEffectivelyEmpty(new TextDecoder().decode(bytes)) ? file.etag : undefined;
    } catch (error) {
      if (error instanceof WorkspaceError && error.code === "not_found") return undefined;
      throw error;
    }
  }

  async #addressed(plan: Extract<Plan, { kind: "run" }>) {
    const { sessionKey } = plan.request;
    const address = await addressOf(this.#env, sessionKey, locationOf(this.#services.config, sessionKey));
    return { plan, address, runId: newRunId(address.name, Date.now()) };
  }

  /** The runs that the lane has room for; all of them where nothing is capped. */
  async #admit(runIds: string[]): Promise<ReadonlySet<string>> {
    const cap = laneCap("cron", this.#services.config);
    if (cap === 0 || runIds.length === 0) return new Set(runIds);
    return new Set(await this.#env.LANES.getByName("cron").admit(runIds, cap));
  }
}

const NOBODY: PeopleRoutes = { last: undefined, owners: [] };

function accountOf({ slot, nextAt }: Plan): Pick<SettledSlot, "id" | "dueAt" | "nextAt"> {
  return { ...slot, nextAt };
}

function skipped(plan: Extract<Plan, { kind: "skip" }>): SettledSlot {
  return { ...accountOf(plan), status: "skipped", reason: plan.reason, emptyEtag: plan.emptyEtag };
}
