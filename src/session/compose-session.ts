import type { AnyTool } from "../agent/tool.ts";
import type { Target } from "../channels/channel.ts";
import { CommandDispatcher } from "../commands/dispatch.ts";
import { IndexSync } from "../index-sync/index-sync.ts";
import { TranscriptSync } from "../index-sync/transcript-sync.ts";
import { SessionHooks } from "../plugins/session-hooks.ts";
import { Removal } from "../retention/removal.ts";
import { Retention } from "../retention/retention.ts";
import { callByKey } from "../services/call-session.ts";
import { agentIn } from "../services/services.ts";
import { AuditTrail } from "../session-store/audit-trail.ts";
import { readView } from "../session-store/conversation-view.ts";
import type { EventLog } from "../session-store/event-log.ts";
import type { Fence } from "../session-store/fence.ts";
import type { QueuePolicy } from "../session-store/queue.ts";
import type { Decision, RunState } from "../session-store/run.ts";
import type { AcceptedRun, AcceptRequest } from "../session-store/run-request.ts";
import type { SessionRow } from "../session-store/session-row.ts";
import type { Store } from "../session-store/store.ts";
import { Subagents } from "../subagents/subagents.ts";
import { pruningRules } from "../turn/context-rules.ts";
import { SessionSkills } from "../turn/skills/session-skills.ts";
import type { SessionCalls } from "./api.ts";
import type { ConfigSnapshot } from "./config-holder.ts";
import { Deliveries } from "./deliveries.ts";
import { Inspector } from "./inspector.ts";
import { runAgentEndHooks } from "./run-hooks.ts";
import { RunScheduler } from "./run-scheduler.ts";
import { Sockets } from "./socket.ts";
import { subagentsPort } from "./subagents-port.ts";
import { TurnRunner } from "./turn-runner.ts";
import { type Lifecycle, Wakeups } from "./wakeups.ts";

/** What the parts of a session are given by the object that they are in. */
export interface ComposeSessionDeps {
  ctx: DurableObjectState;
  env: Env;
  store: Store;
  log: EventLog;
  fence: Fence;
  configured: ConfigSnapshot;
  life(): Lifecycle;
  /** @throws IsopodError `not_found` where there is no session */
  owner(): SessionRow;
  policyFor(target: Target | null): QueuePolicy;
  /** Tools of an owner's turn besides the built-in ones. */
  extraTools(): readonly AnyTool[];
  /** @throws IsopodError where it is refused */
  accept(request: AcceptRequest): AcceptedRun;
  abort(runId: string): RunState["status"] | undefined;
  decide(approvalId: string, decision: Decision): boolean;
  stopAll(): { runs: number; subagents: number };
  /** Everything was deleted. */
  forget(): void;
}

/** Who does the work of a session. */
export interface SessionParts {
  engine: RunScheduler;
  performer: TurnRunner;
  pulse: Wakeups;
  desk: CommandDispatcher;
  deliveries: Deliveries;
  sockets: Sockets;
  family: Subagents;
  hooks: SessionHooks;
  indexer: IndexSync;
  inspector: Inspector;
  retention: Retention;
  transcripts: TranscriptSync;
  removal: Removal;
}

/** Makes the parts of a session and lets them know each other. Nothing is read, written or begun by that. */
export function composeSession({ env, ...given }: ComposeSessionDeps): SessionParts {
  const { ctx, store, configured, owner, extraTools, life } = given;
  const deps = {
    ...given,
    files: env.FILES,
    database: env.DB,
    memory: env.MEMORY,
    indexing: env.INDEXING,
    services: () => configured.now(),
    now: Date.now,
    format: (...text: Parameters<Deliveries["format"]>) => deliveries.format(...text),
    waitUntil: (promise: Promise<unknown>) => ctx.waitUntil(promise),
    call: callByKey<SessionCalls>(env.SESSIONS),
    changed: () => pulse.changed(),
  };
  const audit = new AuditTrail(deps);
  const hooks = new SessionHooks({
    audit,
    session: () => {
      const { agentId, key: sessionKey, sessionId } = owner();
      return { agentId, sessionKey, sessionId };
    },
    current: () => {
      const services = configured.now();
      const agent = agentIn(services, owner().agentId);
      return { hooks: services.hooks, agent, workspace: services.workspaceOf(agent) };
    },
    now: Date.now,
    waitUntil: deps.waitUntil,
  });
  const pulse = new Wakeups({
    ...deps,
    life,
    workers: () => ({ engine, deliveries, indexer, family, retention, transcripts }),
  });
  const deliveries = new Deliveries({ ...deps, hooks, drained: () => pulse.arm() });
  const indexer = new IndexSync({ ...deps, audit });
  const family = new Subagents(deps);
  const skills = new SessionSkills(deps);
  const performer = new TurnRunner({
    ...deps,
    hooks,
    family,
    skills,
    deliveries,
    lanes: env.LANES,
    budgets: env.BUDGETS,
  });
  const engine: RunScheduler = new RunScheduler({
    ...deps,
    sessionKey: () => owner().key,
    open: (row, input) => performer.open(row, input),
    noteJoined: (row, input) => performer.noteJoined(row, input),
    readView: (innerFrom) => readView(store, owner(), { innerFrom, pruning: pruningRules(deps.services) }),
    perform: (run) => performer.perform(run),
    ended: (row, state, reply) => {
      family.runEnded(row, state, reply);
      runAgentEndHooks(row, state, hooks, () => readView(store, owner()).messages);
    },
  });
  const desk = new CommandDispatcher({
    ...deps,
    hooks,
    skills,
    subagents: (run) => subagentsPort(run, family, deps),
    isActive: () => life() === "here",
  });
  const sockets = new Sockets(deps);
  const retention = new Retention({ ...deps, promptsInUse: () => performer.promptsInUse });
  const inspector = new Inspector({ ...deps, skills, extraTools, engine: () => engine });
  const transcripts = new TranscriptSync(deps);
  const removal = new Removal({
    ...deps,
    audit,
    transcripts,
    idle: () => pulse.idle(),
    settleSubagents: () => family.settle(),
  });
  return {
    engine,
    performer,
    pulse,
    desk,
    deliveries,
    sockets,
    family,
    hooks,
    indexer,
    inspector,
    retention,
    transcripts,
    removal,
  };
}
