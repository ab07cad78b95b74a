import type { Target } from "../../channels/channel.ts";
import { visibleRepliesIn } from "../../config/group-chat.ts";
import type { ActiveRun } from "../engine.ts";
import type { EventLog } from "../events/event-log.ts";
import type { SessionHooks } from "../hooked/session-hooks.ts";
import { preferencesOf } from "../run/preferences.ts";
import type { Fence } from "../store/fence.ts";
import type { SessionRow } from "../store/session-row.ts";
import type { Store } from "../store/store.ts";
import { agentIn, type Wiring } from "../wiring.ts";
import type { Deliveries } from "./deliveries.ts";
import { tellingOf } from "./telling.ts";
import { Voice } from "./voice.ts";

/** What it takes to give a run a voice. */
export interface VoiceOpening {
  store: Store;
  log: EventLog;
  fence: Fence;
  deliveries: Deliveries;
  hooks: Pick<SessionHooks, "has">;
  owner(): SessionRow;
  /** @throws IsopodError where the configuration is not valid */
  wiring(): Wiring;
  /** Keeps the object alive for work that nobody waits for. */
  waitUntil(promise: Promise<unknown>): void;
}

/** Gives a run its voice, which takes part in what its journal stores from now on. */
export function openVoice(run: ActiveRun, { store, log, fence, deliveries, hooks, ...room }: VoiceOpening): Voice {
  const wiring = room.wiring();
  const { agentId, settings } = room.owner();
  const agent = agentIn(wiring, agentId);
  const voice = new Voice(
    {
      ...{ store, log, fence, now: Date.now },
      format: (...text) => deliveries.format(...text),
      ask: (row, state) => deliveries.ask(row, state),
      send: () => room.waitUntil(deliveries.drainSoon()),
    },
    run,
    tellingOf(preferencesOf(settings, agent), agent, {
      inBlocks: inBlocks(wiring, run.row.target),
      isVetted: hooks.has("message_sending"),
      visible: visibleRepliesIn(wiring.config, agentId, run.row.target?.kind ?? "direct"),
    }),
    run.journal.state.model ?? wiring.modelRefOf(agent),
  );
  run.journal.attend(voice);
  return voice;
}

/** Whether the account that a reply leaves by sends it in blocks; undefined where it does not say. */
function inBlocks(wiring: Wiring, target: Target | null): boolean | undefined {
  if (target === null) return undefined;
  const { channel, context } = wiring.channel(target.channel, target.accountId);
  return channel.blockStreaming?.(context.account);
}
