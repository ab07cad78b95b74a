import type { AnyTool } from "../agent/tool.ts";
import type { Target } from "../channels/channel.ts";
import { CommandDispatcher } from "../commands/dispatch.ts";
import { objectNameOf } from "../config/session-ids.ts";
import { IndexSync } from "../index-sync/index-sync.ts";
import { TranscriptSync } from "../index-sync/transcript-sync.ts";
import { messageOf } from "../lib/errors.ts";
import { log as writeLog } from "../lib/log.ts";
import { SessionHooks } from "../plugins/session-hooks.ts";
import { Processes } from "../processes/processes.ts";
import { Relocation } from "../relocation/relocation.ts";
import { Removal } from "../retention/removal.ts";
import { Retention } from "../retention/retention.ts";
import { callByKey } from "../services/call-session.ts";
import type { OperationMeter } from "../services/operations.ts";
import { agentIn } from "../services/services.ts";
import { AuditTrail } from "../session-store/audit-trail.ts";
import { readView } from "../session-store/conversation-view.ts";
import type { EventLog } from "../session-store/event-log.ts";
import type { Fence } from "../session-store/fence.ts";
import type { QueuePolicy } from "../session-store/queue.ts";
import type { Decision, RunState } from "../session-store/run.ts";
import type { AcceptedRun, AcceptRequest } from "../session-store/run-request.ts";
import type { SessionRow } from "../session-store/session-row.ts";
import { sessionFolder } from "../session-store/spill.ts";
import type { Store } from "../session-store/store.ts";
import { Subagents } from "../subagents/subagents.ts";
import { pruningRules } from "../turn/context-rules.ts";
import { SessionSkills } from "../turn/skills/session-skills.ts";
import { callSession, type SessionCalls } from "./api.ts";
import { Approvals } from "./approvals.ts";
import { subagentsPort } from "./command-ports.ts";
import type { ConfigSnapshot } from "./config-snapshot.ts";
import { Deliveries } from "./deliveries.ts";
import { DeliveryFormat } from "./delivery-format.ts";
import { InboundFiles } from "./inbound-files.ts";
import { Inspector } from "./inspector.ts";
import { runAgentEndHooks } from "./run-hooks.ts";
import { RunScheduler } from "./run-scheduler.ts";
import { PartSender } from "./send-part.ts";
import { Sockets } from "./socket.ts";
import { stopHeartbeat } from "./stop-heartbeat.ts";
import { TurnRunner } from "./turn-runner.ts";
import { Visitors } from "./visitors.ts";
import { type Lifecycle, Wakeups } from "./wakeups.ts";

/** What the Durable Object provides to the parts of its session. */
export interface ComposeSessionDeps {
  ctx: DurableObjectState;
  /** Its requests to R2 and D1 are counted. */
  env: Env;
  meter: OperationMeter;
  store: Store;
  log: EventLog;
  fence: Fence;
  configured: ConfigSnapshot;
  lifecycle(): Lifecycle;
  /** The stored row of the session. @throws IsopodError `not_found` if there is no session */
  session(): SessionRow;
  policyFor(target: Target | null): QueuePolicy;
  /** Tools of an owner's turn besides the built-in ones. */
  extraTools(): readonly AnyTool[];
  /** @throws IsopodError if the run is refused */
  accept(request: AcceptRequest): AcceptedRun;
  abort(runId: string): RunState["status"] | undefined;
  decide(approvalId: string, decision: Decision): boolean;
  stopAll(): { runs: number; subagents: number; processes: number };
  /** Resets the object's memory after everything was deleted. */
  forget(): void;
  /** Reads the object's memory anew after the session has come, gone or stayed. */
  reload(): void;
}

/** The parts of a session. */
export interface SessionParts {
  approvals: Approvals;
  audit: AuditTrail;
  scheduler: RunScheduler;
  turnRunner: TurnRunner;
  wakeups: Wakeups;
  commands: CommandDispatcher;
  deliveries: Deliveries;
  deliveryFormat: DeliveryFormat;
  sockets: Sockets;
  subagents: Subagents;
  processes: Processes;
  hooks: SessionHooks;
  indexSync: IndexSync;
  inspector: Inspector;
  retention: Retention;
  transcripts: TranscriptSync;
  removal: Removal;
  relocation: Relocation;
  visitors: Visitors;
}

/**
 * Creates the parts of a session and passes each its dependencies by name. Parts that depend on one another receive
 * functions, which are called only after all of them exist. Nothing is read, written or started here.
 */
export function composeSession(given: ComposeSessionDeps): SessionParts {
  const { ctx, env, meter, store, log, fence, configured, lifecycle, session, policyFor, extraTools } = given;
  const { accept, abort, decide, stopAll, forget, reload } = given;
  const { FILES: files, DB: database, MEMORY: memory, INDEXING: indexing, LANES: lanes, BUDGETS: budgets } = env;
  const now = Date.now;
  const services = () => configured.now();
  const waitUntil = (promise: Promise<unknown>) => ctx.waitUntil(promise);
  const operations = (runId: string) => meter.of(runId, now());
  const call = callByKey<SessionCalls>(env, (key) => configured.locationOf(key));
  const changed = () => wakeups.changed();
  const peers = { store, log, fence, session, services, policyFor, call, changed, now };

  const audit = new AuditTrail({ store, fence, database, session, now });
  const hooks = new SessionHooks({
    audit,
    session: () => {
      const { agentId, key: sessionKey, sessionId } = session();
      return { agentId, sessionKey, sessionId };
    },
    current: () => {
      const agent = agentIn(services(), session().agentId);
      return { hooks: services().hooks, agent, workspace: services().workspaceOf(agent) };
    },
    now,
    waitUntil,
  });
  const skills = new SessionSkills({ store, fence, session, services, waitUntil, now });
  const subagents = new Subagents(peers);
  const processes = new Processes({ store, log, fence, policyFor, changed, waitUntil, now });
  const deliveryFormat = new DeliveryFormat({ store, session, services, hooks });
  const sender = new PartSender({
    store,
    session,
    services,
    call,
    keepReply: async (deliveryId, text) => {
      const folder = sessionFolder(session().agentId, await objectNameOf(session().key));
      const key = `${folder}replies/${deliveryId}.txt`;
      await files.put(key, text, { httpMetadata: { contentType: "text/plain; charset=utf-8" } });
      return key;
    },
    now,
  });
  const deliveries = new Deliveries({
    store,
    fence,
    format: deliveryFormat,
    sender,
    hooks,
    audit,
    drained: () => {
      wakeups.arm();
      visitors.changed();
    },
    now,
  });
  const format: DeliveryFormat["format"] = (...text) => deliveryFormat.format(...text);
  const plainText: DeliveryFormat["plainText"] = (part) => deliveryFormat.plainText(part);
  const lostNotice: DeliveryFormat["lostNotice"] = (...asked) => deliveryFormat.lostNotice(...asked);
  const retry = () => {
    const { maxAttempts, backoffMs } = services().config.cron.retry;
    return Array.from({ length: maxAttempts }, (_, n) => backoffMs[Math.min(n, backoffMs.length - 1)] ?? 0);
  };
  const indexSync = new IndexSync({ store, fence, database, audit, session, retry, operations });
  const transcripts = new TranscriptSync({ store, fence, memory, indexing, session, services, now });
  const turnRunner = new TurnRunner({
    ...peers,
    configured,
    deliveries,
    deliveryFormat,
    sender,
    hooks,
    files,
    database,
    schedule: env.SCHEDULE,
    lanes,
    budgets,
    subagents,
    processes,
    skills,
    audit,
    extraTools,
    waitUntil,
  });
  const retention = new Retention({
    store,
    fence,
    log,
    database,
    files,
    session,
    services,
    promptsInUse: () => turnRunner.promptsInUse,
    now,
  });
  const scheduler: RunScheduler = new RunScheduler({
    store,
    log,
    fence,
    sessionKey: () => session().key,
    policyFor,
    open: (row, input) => turnRunner.start(row, input),
    noteMerged: (row, input) => turnRunner.noteMerged(row, input),
    readView: (innerFrom) => readView(store, session(), { innerFrom, pruning: pruningRules(services) }),
    perform: (run, prefetched) => turnRunner.run(run, prefetched),
    meter,
    ended: (row, state, reply) => {
      subagents.runEnded(row, state, reply);
      if (state.status === "aborted" || state.status === "timeout") processes.stop(({ runId }) => runId === row.id);
      runAgentEndHooks(row, state, hooks, () => readView(store, session()).messages);
      visitors.changed();
    },
    closed: (runId, target) => waitUntil(sender.noteUnanswered(runId, target)),
    format,
    plainText,
    lostNotice,
    now,
  });
  const approvals = new Approvals({ store, fence, scheduler, audit, indexSync, changed, now, waitUntil });
  const inboundFiles = new InboundFiles({ store, fence, session, services, budgets, changed, now, waitUntil });
  const workers = { scheduler, deliveries, inboundFiles, indexSync, subagents, processes, retention, transcripts };
  const wakeups = new Wakeups({ ctx, store, configured, lifecycle, workers: () => workers });
  const commands = new CommandDispatcher({
    store,
    log,
    fence,
    session,
    services,
    policyFor,
    hooks,
    skills,
    subagents: (run) => subagentsPort(run, subagents, peers),
    isActive: () => lifecycle() === "active",
    stopAll,
    decide,
    decideElsewhere: (name, id, decision) =>
      waitUntil(callSession(env, { name }, (other) => other.decide(id, decision)).catch(noteUndecided)),
    // The command's own run switches it off again, and tells what went wrong.
    stopHeartbeat: () =>
      waitUntil(
        stopHeartbeat({ store, session, services, database, queue: env.SCHEDULE, abort, now }).catch(() => undefined),
      ),
    revoke: (grantId) => approvals.revoke(grantId),
    format,
    lostNotice,
    now,
  });
  const sockets = new Sockets({ ctx, log, accept, abort, services, now });
  const inspector = new Inspector({
    store,
    files,
    session,
    services,
    extraTools,
    skills,
    scheduler: () => scheduler,
    configured,
    now,
  });
  const removal = new Removal({
    ctx,
    store,
    files,
    database,
    audit,
    transcripts,
    session,
    idle: () => wakeups.idle(),
    settleSubagents: () => subagents.settle(),
    remove: async (key) => void (await call(key, (other) => other.remove())),
    forget,
  });
  const relocation = new Relocation({
    ctx,
    env,
    store,
    fence,
    idle: () => wakeups.idle(),
    arm: (at) => wakeups.armFor(at),
    reload,
    now,
  });
  const visitors = new Visitors({ store, session, lifecycle, now });
  return {
    approvals,
    audit,
    scheduler,
    turnRunner,
    wakeups,
    commands,
    deliveries,
    deliveryFormat,
    sockets,
    subagents,
    processes,
    hooks,
    indexSync,
    inspector,
    retention,
    transcripts,
    removal,
    relocation,
    visitors,
  };
}

/** A sub-agent's call that could not be decided is still open, and is asked about on the page. */
function noteUndecided(error: unknown): void {
  writeLog("warn", "approval.not_decided", { error: messageOf(error) });
}
