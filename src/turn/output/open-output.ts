import type { Target } from "../../channels/channel.ts";
import type { Agent } from "../../config/agents.ts";
import { visibleRepliesIn } from "../../config/group-chat.ts";
import type { SessionHooks } from "../../plugins/session-hooks.ts";
import type { Services } from "../../services/services.ts";
import type { EventLog } from "../../session-store/event-log.ts";
import type { Fence } from "../../session-store/fence.ts";
import type { Store } from "../../session-store/store.ts";
import type { ActiveRun } from "../active-run.ts";
import type { TurnContext } from "../turn-context.ts";
import { outputPolicy, RunOutput, type RunOutputDeps } from "./run-output.ts";
import { turnPreferences } from "./turn-preferences.ts";

/** What opening a run's output depends on. */
export interface OpenOutputDeps {
  store: Store;
  log: EventLog;
  fence: Fence;
  deliveryFormat: Pick<RunOutputDeps, "format" | "formatApprovalQuestion">;
  deliveries: { drainSoon(): Promise<void> };
  hooks: Pick<SessionHooks, "has">;
  /** A number from 0 up to 1. */
  random(): number;
  /** Keeps the object alive for work that is not awaited. */
  waitUntil(promise: Promise<unknown>): void;
}

/**
 * Creates the output of a run and registers it as the observer of the run's journal, so it writes within its commits.
 */
export function openOutput(
  run: ActiveRun,
  context: TurnContext,
  { store, log, fence, deliveryFormat, deliveries, hooks, random, waitUntil }: OpenOutputDeps,
): RunOutput {
  const { agent, services, origin } = context;
  const output = new RunOutput(
    {
      ...{ store, log, fence, now: Date.now },
      format: (...text) => deliveryFormat.format(...text),
      formatApprovalQuestion: (row, state) => deliveryFormat.formatApprovalQuestion(row, state),
      send: () => waitUntil(deliveries.drainSoon()),
      pauseMs: () => pauseMs(agent, random),
    },
    run,
    outputPolicy(turnPreferences(run, context), agent, {
      // What a run in the background says is judged as a whole before anybody reads it.
      inBlocks: origin.queueClass === "background" ? false : inBlocks(services, run.row.target),
      isVetted: hooks.has("message_sending"),
      visible: visibleRepliesIn(services.config, agent.id, run.row.target?.kind ?? "direct"),
    }),
    run.journal.state.model ?? services.modelRefOf(agent),
  );
  run.journal.observe(output);
  return output;
}

function pauseMs({ blockPause }: Agent, random: () => number): number {
  return blockPause === undefined ? 0 : Math.round(blockPause.minMs + random() * (blockPause.maxMs - blockPause.minMs));
}

/** Whether the account that sends the reply is configured for block streaming; undefined if it is not set. */
function inBlocks(services: Services, target: Target | null): boolean | undefined {
  if (target === null) return undefined;
  const { channel, context } = services.channel(target.channel, target.accountId);
  return channel.blockStreaming?.(context.account);
}
