import type { AnyTool } from "../agent/tool.ts";
import type { Target } from "../channels/channel.ts";
import { CommandDesk } from "../commands/dispatch.ts";
import { Indexer } from "../index-sync/index-sync.ts";
import { TranscriptMemory } from "../index-sync/transcript-sync.ts";
import { SessionHooks } from "../plugins/session-hooks.ts";
import { Removal } from "../retention/removal.ts";
import { Retention } from "../retention/retention.ts";
import { callByKey } from "../services/call-session.ts";
import { agentIn } from "../services/services.ts";
import type { Accepted, AcceptRequest } from "../session-store/accept-request.ts";
import { AuditTrail } from "../session-store/audit-trail.ts";
import { readView } from "../session-store/conversation-view.ts";
import type { EventLog } from "../session-store/event-log.ts";
import type { Fence } from "../session-store/fence.ts";
import type { QueuePolicy } from "../session-store/queue.ts";
import type { Decision, RunState } from "../session-store/run.ts";
import type { SessionRow } from "../session-store/session-row.ts";
import type { Store } from "../session-store/store.ts";
import { Family } from "../subagents/subagents.ts";
import { pruningRules } from "../turn/context-rules.ts";
import { SessionSkills } from "../turn/skills/session-skills.ts";
import type { SessionCalls } from "./api.ts";
import type { ObjectWiring } from "./config-holder.ts";
import { Deliveries } from "./deliveries.ts";
import { Inspector } from "./inspector.ts";
import { tellEnd } from "./run-hooks.ts";
import { Engine } from "./run-scheduler.ts";
import { Sockets } from "./socket.ts";
import { subagentsPort } from "./subagents-port.ts";
import { Performer } from "./turn-runner.ts";
import { type Life, Pulse } from "./wakeups.ts";

/** What the parts of a session are given by the object that they are in. */
export interface PartsRoom {
  ctx: DurableObjectState;
  env: Env;
  store: Store;
  log: EventLog;
  fence: Fence;
  configured: ObjectWiring;
  life(): Life;
  /** @throws IsopodError `not_found` where there is no session */
  owner(): SessionRow;
  policyFor(target: Target | null): QueuePolicy;
  /** Tools of an owner's turn besides the built-in ones. */
  extraTools(): readonly AnyTool[];
  /** @throws IsopodError where it is refused */
  accept(request: AcceptRequest): Accepted;
  abort(runId: string): RunState["status"] | undefined;
  decide(approvalId: string, decision: Decision): boolean;
  stopAll(): { runs: number; subagents: number };
  /** Everything was deleted. */
  forget(): void;
}

/** Who does the work of a session. */
export interface Parts {
  engine: Engine;
  performer: Performer;
  pulse: Pulse;
  desk: CommandDesk;
  deliveries: Deliveries;
  sockets: Sockets;
  family: Family;
  hooks: SessionHooks;
  indexer: Indexer;
  inspector: Inspector;
  retention: Retention;
  transcripts: TranscriptMemory;
  removal: Removal;
}

/** Makes the parts of a session and lets them know each other. Nothing is read, written or begun by that. */
export function createParts({ env, ...given }: PartsRoom): Parts {
  const { ctx, store, configured, owner, extraTools, life } = given;
  const room = {
    ...given,
    files: env.FILES,
    database: env.DB,
    memory: env.MEMORY,
    indexing: env.INDEXING,
    wiring: () => configured.now(),
    now: Date.now,
    format: (...text: Parameters<Deliveries["format"]>) => deliveries.format(...text),
    waitUntil: (promise: Promise<unknown>) => ctx.waitUntil(promise),
    call: callByKey<SessionCalls>(env.SESSIONS),
    changed: () => pulse.changed(),
  };
  const audit = new AuditTrail(room);
  const hooks = new SessionHooks({
    audit,
    session: () => {
      const { agentId, key: sessionKey, sessionId } = owner();
      return { agentId, sessionKey, sessionId };
    },
    current: () => {
      const wiring = configured.now();
      const agent = agentIn(wiring, owner().agentId);
      return { hooks: wiring.hooks, agent, workspace: wiring.workspaceOf(agent) };
    },
    now: Date.now,
    waitUntil: room.waitUntil,
  });
  const pulse = new Pulse({
    ...room,
    life,
    workers: () => ({ engine, deliveries, indexer, family, retention, transcripts }),
  });
  const deliveries = new Deliveries({ ...room, hooks, drained: () => pulse.arm() });
  const indexer = new Indexer({ ...room, audit });
  const family = new Family(room);
  const skills = new SessionSkills(room);
  const performer = new Performer({
    ...room,
    hooks,
    family,
    skills,
    deliveries,
    lanes: env.LANES,
    budgets: env.BUDGETS,
  });
  const engine: Engine = new Engine({
    ...room,
    sessionKey: () => owner().key,
    open: (row, input) => performer.open(row, input),
    noteJoined: (row, input) => performer.noteJoined(row, input),
    readView: (innerFrom) => readView(store, owner(), { innerFrom, pruning: pruningRules(room.wiring) }),
    perform: (run) => performer.perform(run),
    ended: (row, state, reply) => {
      family.ended(row, state, reply);
      tellEnd(row, state, hooks, () => readView(store, owner()).messages);
    },
  });
  const desk = new CommandDesk({
    ...room,
    hooks,
    skills,
    subagents: (run) => subagentsPort(run, family, room),
    isActive: () => life() === "here",
  });
  const sockets = new Sockets(room);
  const retention = new Retention({ ...room, promptsInUse: () => performer.promptsInUse });
  const inspector = new Inspector({ ...room, skills, extraTools, engine: () => engine });
  const transcripts = new TranscriptMemory(room);
  const removal = new Removal({
    ...room,
    audit,
    transcripts,
    idle: () => pulse.idle(),
    dismiss: () => family.dismiss(),
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
