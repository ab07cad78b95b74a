import type { AnyTool } from "../../agent/tool.ts";
import { type Agent, modelAliases } from "../../config/agents.ts";
import { parseSessionKey } from "../../config/session-key.ts";
import { VERSION } from "../../lib/version.ts";
import { contributionFor } from "../../prompt/contributions.ts";
import type { ChannelFacts, PromptInput } from "../../prompt/input.ts";
import type { BootstrapFile } from "../../workspace/bootstrap.ts";
import { LISTED_COMMANDS } from "../commands/index.ts";
import type { ActiveRun } from "../engine.ts";
import { maySpawn } from "../family/caller.ts";
import { preferencesOf } from "../run/preferences.ts";
import type { Wiring } from "../wiring.ts";
import { subagentContext } from "./subagent-context.ts";
import type { PromptRoom } from "./turn-room.ts";

/** The workspace as agents call it. */
export const WORKSPACE_DIR = "/workspace";

/** What a turn found out before its prompt is rendered. */
export interface TurnFacts {
  agent: Agent;
  tools: readonly AnyTool[];
  files: readonly BootstrapFile[];
  /** As they may be shown. */
  owners: readonly string[];
  /** `provider/model`. */
  model: string;
}

/** The input of the prompt's renderer for a live turn. */
export function promptInput(run: ActiveRun, room: PromptRoom, facts: TurnFacts): PromptInput {
  const { config, host } = room.wiring;
  const { agent, tools, files, owners, model } = facts;
  const timezone = agent.defaults.userTimezone;
  const channel = channelFacts(run, room.wiring);
  const { thinking, reasoning } = preferencesOf(room.owner.settings, agent, run.journal.state);
  const extraContext = contextFor(run, room, agent);
  return {
    mode: promptModeOf(room.owner.key),
    productName: config.prompt.productName,
    agentId: agent.id,
    sessionKey: room.owner.key,
    tools: tools.map(({ name, summary }) => ({ name, summary })),
    completionWake: false,
    provider: contributionFor(model),
    memoryCitations: "auto",
    commands: run.speaker.owner ? LISTED_COMMANDS.map(({ name }) => `/${name}`) : [],
    modelAliases: modelAliases(config),
    workspace: { dir: WORKSPACE_DIR, notes: [] },
    authorizedSenders: owners,
    ...(timezone !== undefined && { timezone }),
    outputDirectives: [],
    bootstrapFiles: files,
    model,
    thinking,
    reasoning,
    reasoningTags: false,
    runtime: { host, os: "linux", arch: "edge", version: VERSION },
    ...(channel && { channel }),
    ...(extraContext !== "" && { extraContext }),
    delegation: agent.subagents.delegationMode,
    truncationWarning: agent.defaults.bootstrapPromptTruncationWarning,
    truncationWarned: false,
  };
}

/** How much a session is told of itself: those that work for another one, or by the clock, get what the work needs. */
export function promptModeOf(sessionKey: string): "full" | "minimal" {
  const { kind } = parseSessionKey(sessionKey);
  return kind === "subagent" || kind === "cron" ? "minimal" : "full";
}

function contextFor(run: ActiveRun, { owner }: PromptRoom, agent: Agent): string {
  const { spawned } = owner.settings;
  const { extraContext = "" } = run.journal.state;
  return [spawned === undefined ? "" : subagentContext(spawned, maySpawn(owner, agent)), extraContext]
    .filter((text) => text !== "")
    .join("\n\n");
}

function channelFacts(run: ActiveRun, wiring: Wiring): ChannelFacts | undefined {
  const { target } = run.row;
  if (target === null) return undefined;
  const { capabilities } = wiring.channel(target.channel, target.accountId).channel;
  return { name: target.channel, kind: target.kind, replies: "automatic", capabilities };
}
