import type { AnyTool } from "../../agent/tool.ts";
import { type Agent, heartbeatOf, modelAliases } from "../../config/agents.ts";
import { visibleRepliesIn } from "../../config/group-chat.ts";
import { VERSION } from "../../lib/version.ts";
import { type ThinkingLevel, tagsThoughts } from "../../models/model.ts";
import type { ChannelFacts, DocsFacts, PromptInput } from "../../prompt/input.ts";
import type { BootstrapFiles } from "../../workspace/bootstrap.ts";
import { COMMANDS } from "../commands/index.ts";
import { maySpawn } from "../family/caller.ts";
import { preferencesOf } from "../run/preferences.ts";
import type { TurnSkills } from "../skills/turn-skills.ts";
import type { Wiring } from "../wiring.ts";
import { lookUpModel } from "./model-choice.ts";
import type { Occasion } from "./occasion.ts";
import { subagentContext } from "./subagent-context.ts";
import { wasWarned } from "./truncation-warning.ts";
import { workspaceNotes } from "./workspace-notes.ts";

/** The workspace as agents call it. */
export const WORKSPACE_DIR = "/workspace";

/** What a turn found out before its prompt is rendered. */
export interface TurnFacts {
  agent: Agent;
  tools: readonly AnyTool[];
  files: BootstrapFiles;
  skills: Pick<TurnSkills, "list">;
  /** As they may be shown. */
  owners: readonly string[];
  /** `provider/model`. */
  model: string;
}

/** The input of the prompt's renderer for a turn, be it live or only looked at. */
export function promptInput(occasion: Occasion, wiring: Wiring, facts: TurnFacts): PromptInput {
  const { session, speaker, mode } = occasion;
  const { config, host } = wiring;
  const { agent, tools, files, skills, owners, model } = facts;
  const timezone = agent.defaults.userTimezone;
  const channel = channelFacts(occasion, agent, wiring);
  const reactions = reactionsIn(occasion, wiring);
  const { thinking, reasoning } = preferencesOf(session.settings, agent, occasion);
  const extraContext = contextFor(occasion, agent);
  const heartbeat = heartbeatOf(config, agent.id);
  return {
    mode,
    productName: config.prompt.productName,
    agentId: agent.id,
    sessionKey: session.key,
    tools: tools.map(({ name, summary }) => ({ name, summary })),
    completionWake: false,
    provider: wiring.plugins.contributionFor(model).provider,
    ...(skills.list !== undefined && { skillsPrompt: skills.list }),
    memoryCitations: config.memory.citations,
    commands: speaker.owner ? COMMANDS.map(({ name }) => `/${name}`) : [],
    modelAliases: modelAliases(config),
    workspace: { dir: WORKSPACE_DIR, notes: workspaceNotes(config, agent.id), closed: !speaker.owner },
    docs: docsFacts(config),
    authorizedSenders: owners,
    ...(timezone !== undefined && { timezone }),
    outputDirectives: speaker.owner ? ["reply-tags", "media", "voice-notes"] : ["reply-tags"],
    bootstrapFiles: files.shown,
    fileWarnings: warningsOf(files),
    model,
    thinking,
    reasoning,
    reasoningTags: isTagging(model, thinking, wiring),
    runtime: { host, os: "linux", arch: "edge", version: VERSION, ...shellFacts(tools) },
    ...(channel && { channel }),
    ...(config.messages.tts.hint !== undefined && { voiceHint: config.messages.tts.hint }),
    ...(reactions && tools.some(({ name }) => name === "message") && { reactions }),
    ...(extraContext !== "" && { extraContext }),
    delegation: agent.subagents.delegationMode,
    ...(heartbeat?.includeSystemPromptSection && { heartbeatPrompt: heartbeat.prompt }),
    truncationWarning: agent.defaults.bootstrapPromptTruncationWarning,
    truncationWarned: wasWarned(session.settings, files.shown),
  };
}

/** That commands are those of a simulated bash, where there are any. */
function shellFacts(tools: readonly AnyTool[]): { shell?: string } {
  return tools.some(({ name }) => name === "exec") ? { shell: "bash (simulated)" } : {};
}

/** Where an agent, and who talks to it, finds the documentation. The address of a request is nobody's word for it. */
function docsFacts({ prompt }: Wiring["config"]): DocsFacts {
  const { docsUrl, skillsUrl } = prompt;
  return { location: "docs://index", ...(docsUrl !== undefined && { url: docsUrl }), skillsUrl };
}

function warningsOf({ shown, warnings }: BootstrapFiles): string[] {
  return [...warnings, ...shown.flatMap((file) => file.warnings ?? [])];
}

function contextFor({ session, extraContext = "" }: Occasion, agent: Agent): string {
  const { spawned } = session.settings;
  return [spawned === undefined ? "" : subagentContext(spawned, maySpawn(session, agent)), extraContext]
    .filter((text) => text !== "")
    .join("\n\n");
}

function channelFacts({ target }: Occasion, agent: Agent, wiring: Wiring): ChannelFacts | undefined {
  if (target === null) return undefined;
  const { capabilities } = wiring.channel(target.channel, target.accountId).channel;
  const visible = visibleRepliesIn(wiring.config, agent.id, target.kind);
  const replies = visible === "automatic" ? "automatic" : "message-tool";
  return { name: target.channel, kind: target.kind, replies, capabilities };
}

/** How freely the agent may react there; undefined where it may not. */
function reactionsIn({ target }: Occasion, wiring: Wiring): "minimal" | "extensive" | undefined {
  if (target === null) return undefined;
  const { channel, context } = wiring.channel(target.channel, target.accountId);
  const level = channel.reactions?.level(context.account);
  return level === "minimal" || level === "extensive" ? level : undefined;
}

/** Whether a model is asked for tags around its thoughts; one that cannot be asked at all is not. */
function isTagging(ref: string, thinking: ThinkingLevel, wiring: Wiring): boolean {
  const found = lookUpModel(() => wiring, ref);
  return found.kind === "model" && tagsThoughts(found, thinking);
}
