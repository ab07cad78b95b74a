import type { Target } from "../../channels/channel.ts";
import { visibleRepliesIn } from "../../config/group-chat.ts";
import type { SessionHooks } from "../../plugins/session-hooks.ts";
import { agentIn, type Services } from "../../services/services.ts";
import type { EventLog } from "../../session-store/event-log.ts";
import type { Fence } from "../../session-store/fence.ts";
import type { SessionRow } from "../../session-store/session-row.ts";
import { sessionPreferences } from "../../session-store/session-settings.ts";
import type { Store } from "../../session-store/store.ts";
import type { ActiveRun } from "../active-run.ts";
import { outputPolicy } from "./output-policy.ts";
import { RunOutput, type RunOutputDeps } from "./run-output.ts";

/** What it takes to give a run a voice. */
export interface OpenOutputDeps {
  store: Store;
  log: EventLog;
  fence: Fence;
  deliveries: Pick<RunOutputDeps, "format" | "ask"> & { drainSoon(): Promise<void> };
  hooks: Pick<SessionHooks, "has">;
  owner(): SessionRow;
  /** @throws IsopodError where the configuration is not valid */
  services(): Services;
  /** Keeps the object alive for work that nobody waits for. */
  waitUntil(promise: Promise<unknown>): void;
}

/** Gives a run its voice, which takes part in what its journal stores from now on. */
export function openOutput(
  run: ActiveRun,
  { store, log, fence, deliveries, hooks, ...deps }: OpenOutputDeps,
): RunOutput {
  const services = deps.services();
  const { agentId, settings } = deps.owner();
  const agent = agentIn(services, agentId);
  const output = new RunOutput(
    {
      ...{ store, log, fence, now: Date.now },
      format: (...text) => deliveries.format(...text),
      ask: (row, state) => deliveries.ask(row, state),
      send: () => deps.waitUntil(deliveries.drainSoon()),
    },
    run,
    outputPolicy(sessionPreferences(settings, agent), agent, {
      inBlocks: inBlocks(services, run.row.target),
      isVetted: hooks.has("message_sending"),
      visible: visibleRepliesIn(services.config, agentId, run.row.target?.kind ?? "direct"),
    }),
    run.journal.state.model ?? services.modelRefOf(agent),
  );
  run.journal.observe(output);
  return output;
}

/** Whether the account that a reply leaves by sends it in blocks; undefined where it does not say. */
function inBlocks(services: Services, target: Target | null): boolean | undefined {
  if (target === null) return undefined;
  const { channel, context } = services.channel(target.channel, target.accountId);
  return channel.blockStreaming?.(context.account);
}
