import type { LoopEnd } from "../agent/loop.ts";
import type { AnyTool } from "../agent/tool.ts";
import { heartbeatOf, modelAliases, sharingAgents } from "../config/agents.ts";
import { COMMAND_NAMES } from "../config/command-names.ts";
import { visibleRepliesIn } from "../config/group-chat.ts";
import { VERSION } from "../lib/version.ts";
import { weekdayTime } from "../lib/zone.ts";
import type { Message } from "../models/message.ts";
import { type ThinkingLevel, tagsReasoning } from "../models/model.ts";
import type { AudienceFacts, ChannelFacts, DocsFacts, PromptInput, PromptTool } from "../prompt/input.ts";
import { wrapExternal } from "../security/external-content.ts";
import type { Config } from "../services/config-schema.ts";
import { lookUpModel } from "../services/model-lookup.ts";
import type { Services } from "../services/services.ts";
import type { TurnSkills } from "../services/skills/turn-skills.ts";
import type { Spawned } from "../session-store/run-input.ts";
import { sessionPreferences } from "../session-store/session-settings.ts";
import type { SessionSettings } from "../session-store/stored-shapes.ts";
import type { BootstrapFile, BootstrapFiles } from "../workspace/bootstrap.ts";
import { WORKSPACE_DIR } from "../workspace/paths.ts";
import { groupRulesAt } from "./group-rules.ts";
import { maySpawn } from "./lineage.ts";
import { voiceHint } from "./output/speech.ts";
import { isOwnerAlone } from "./principal.ts";
import type { TurnContext } from "./turn-context.ts";

/** Facts about a turn that are gathered before its prompt is rendered. */
export interface TurnFacts {
  tools: readonly AnyTool[];
  /** What the agent is told of tools that it does not have. */
  toolNotes: readonly string[];
  files: BootstrapFiles;
  skills: Pick<TurnSkills, "list">;
  /** The owners' ids in the form that the prompt shows. */
  owners: readonly string[];
  /** `provider/model`. */
  model: string;
  /** The conversation, oldest first; called only in groups. */
  messages: () => readonly Message[];
  /** Milliseconds since the epoch. */
  now: number;
}

/** Characters of the time, with a space before it, at the end of `weekdayTime`. */
const TIME_CHARS = " 20:08".length;

/** The input of the prompt renderer for a live turn or a preview. */
export function promptInput(context: TurnContext, facts: TurnFacts): PromptInput {
  const { session, principal, mode, agent, services } = context;
  const { config, host } = services;
  const { tools, toolNotes, files, skills, owners, model, messages, now } = facts;
  const timezone = agent.defaults.userTimezone ?? "UTC";
  const channel = channelFacts(context);
  const reactions = reactionsIn(context);
  const { thinking, reasoning } = sessionPreferences(session.settings, agent, context);
  const extraContext = contextFor(context);
  const heartbeat = heartbeatOf(config, agent.id);
  const voice = voiceHint(context);
  const groupPrompt = groupRulesAt(context.target, context.services)?.prompt;
  return {
    mode,
    productName: config.prompt.productName,
    agentId: agent.id,
    sessionKey: session.key,
    tools: promptTools(tools),
    ...(toolNotes.length > 0 && { toolNotes }),
    completionWake: agent.exec?.notifyOnExit === true && tools.some(({ name }) => name === "process"),
    provider: services.plugins.contributionFor(model).provider,
    ...(skills.list !== undefined && { skillsPrompt: skills.list }),
    memoryCitations: config.memory.citations,
    commands: principal.owner ? COMMAND_NAMES.map((name) => `/${name}`) : [],
    modelAliases: principal.owner ? modelAliases(config) : [],
    workspace: { dir: WORKSPACE_DIR, notes: workspaceNotes(config, agent.id), closed: !principal.owner },
    docs: docsFacts(config),
    authorizedSenders: principal.owner ? owners : [],
    timezone,
    today: weekdayTime(now, timezone).slice(0, -TIME_CHARS),
    wakesUnasked: heartbeat !== undefined || tools.some(({ name }) => name === "cron"),
    outputDirectives: principal.owner ? ["reply-tags", "media", "voice-notes"] : ["reply-tags"],
    bootstrapFiles: files.shown,
    fileWarnings: warningsOf(files),
    model,
    thinking,
    reasoning,
    reasoningTags: isTagging(model, thinking, services),
    runtime: { host, os: "linux", arch: "edge", version: VERSION, ...shellFacts(tools) },
    ...(channel && { channel }),
    ...(voice !== undefined && { voiceHint: voice }),
    ...(reactions && tools.some(({ name }) => name === "message") && { reactions }),
    ...(mode === "full" && { audience: audienceFacts(context, messages) }),
    ...(groupPrompt !== undefined && { groupPrompt }),
    ...(extraContext !== "" && { extraContext }),
    delegation: agent.subagents.delegationMode,
    ...(isOwnerAlone(principal) && heartbeat?.includeSystemPromptSection && { heartbeatPrompt: heartbeat.prompt }),
    truncationWarning: agent.defaults.bootstrapPromptTruncationWarning,
    truncationWarned: wasWarned(session.settings, files.shown),
  };
}

/** The lines of the prompt's list of tools: of those that are listed together, one. */
function promptTools(tools: readonly AnyTool[]): PromptTool[] {
  const lines = tools.map(({ name, summary, listedAs }) => listedAs ?? { name, summary });
  return [...new Map(lines.map((line) => [line.name, line])).values()];
}

/** The note that commands run in a simulated bash, if there is a shell. */
function shellFacts(tools: readonly AnyTool[]): { shell?: string } {
  return tools.some(({ name }) => name === "exec") ? { shell: "bash (simulated)" } : {};
}

/**
 * Where the agent and its users find the documentation. The address is taken from the configuration only, because a
 * request's host is not trustworthy.
 */
function docsFacts({ prompt }: Services["config"]): DocsFacts {
  const { docsUrl, sourceUrl, communityUrl, skillsUrl } = prompt;
  return {
    location: "docs://index",
    ...(docsUrl !== undefined && { url: docsUrl }),
    ...(sourceUrl !== undefined && { sourceUrl }),
    ...(communityUrl !== undefined && { communityUrl }),
    skillsUrl,
  };
}

function warningsOf({ shown, warnings }: BootstrapFiles): string[] {
  return [...warnings, ...shown.flatMap((file) => file.warnings ?? [])];
}

function contextFor({ session, agent, extraContext = "" }: TurnContext): string {
  const { spawned } = session.settings;
  return [spawned === undefined ? "" : subagentContext(spawned, maySpawn(session, agent)), extraContext]
    .filter((text) => text !== "")
    .join("\n\n");
}

function channelFacts({ target, agent, services }: TurnContext): ChannelFacts | undefined {
  if (target === null) return undefined;
  const { capabilities } = services.channel(target.channel, target.accountId).channel;
  const visible = visibleRepliesIn(services.config, agent.id, target.kind);
  const replies = visible === "automatic" ? "automatic" : "message-tool";
  return { name: target.channel, kind: target.kind, replies, capabilities };
}

/** Who is in the conversation, and the title that a group's members gave it. */
function audienceFacts({ principal }: TurnContext, messages: TurnFacts["messages"]): AudienceFacts {
  const { owner, place } = principal;
  if (place === "direct") return { owner, place };
  const title = fencedTitle(messages());
  return { owner, place, ...(title !== undefined && { title }) };
}

/** The newest title of a group, fenced under the id of the oldest message that has it, so that it stays the same. */
function fencedTitle(messages: readonly Message[]): string | undefined {
  const said = messages.flatMap((message) => (message.role === "user" && message.said?.title ? [message.said] : []));
  const title = said.at(-1)?.title;
  const id = said.find((one) => one.title === title)?.fenceId;
  return title && id && wrapExternal(title, { source: "channel_metadata", id, isBrief: true });
}

/** The reaction level of the channel; undefined if the agent may not react. */
function reactionsIn({ target, services }: TurnContext): "minimal" | "extensive" | undefined {
  if (target === null) return undefined;
  const { channel, context } = services.channel(target.channel, target.accountId);
  const level = channel.reactions?.level(context.account);
  return level === "minimal" || level === "extensive" ? level : undefined;
}

/** Whether the prompt asks for tags around the model's reasoning; not if the model is not available. */
function isTagging(ref: string, thinking: ThinkingLevel, services: Services): boolean {
  const found = lookUpModel(() => services, ref);
  return found.kind === "model" && tagsReasoning(found, thinking);
}

/**
 * The part of the prompt that describes a sub-agent's role. Its task is the first message of the conversation.
 * @param maySpawn whether it may have sub-agents itself
 */
export function subagentContext({ lineage, label }: Spawned, maySpawn: boolean): string {
  return [
    `You are the sub-agent "${label}", started by the session ${lineage[0] ?? "of somebody else"} for one task: the first message of this conversation.`,
    "- Do that task, all of it, and nothing besides. Leave side quests alone.",
    "- Nobody reads along who could answer. Where something is open, decide, and say in the result what you assumed.",
    "- Your last reply is the result. It is reported to who started you by itself: send it to nobody, and wait for nobody.",
    "- Put into it what was found or done, where it is, what is left, and what went wrong. No greetings.",
    "- More of the task, or a change of it, may come as another message while you work.",
    ...(maySpawn
      ? [
          "- Parts that can be done apart you may give to sub-agents of your own. End your turn when nothing else is to be done: their results come to you as messages, and your result is reported when all of them have ended.",
        ]
      : []),
  ].join("\n");
}

/** The prompt's notes on a workspace besides its path: the agents that share it. */
export function workspaceNotes(config: Config, agentId: string): string[] {
  const others = sharingAgents(config, agentId);
  if (others.length === 0) return [];
  return [`Shared with other agents (${others.join(", ")}): they read and change the same files.`];
}

/** Whether the model was warned before about exactly these truncated files. */
export function wasWarned({ truncationWarned }: SessionSettings, files: readonly BootstrapFile[]): boolean {
  return truncationWarned !== undefined && isSame(truncationWarned, cutAmong(files));
}

/** Stores which truncated files the answered prompt has warned about, if each warning is shown only once. */
export function noteWarning(end: LoopEnd, input: PromptInput, noteWarned: (paths: readonly string[]) => void): void {
  if (end.kind !== "reply" || end.message.stop === "error") return;
  const cut = cutAmong(input.bootstrapFiles);
  if (input.truncationWarning === "once" && !input.truncationWarned && cut.length > 0) noteWarned(cut);
}

function cutAmong(files: readonly BootstrapFile[]): string[] {
  return files.filter(({ truncated }) => truncated).map(({ path }) => path);
}

function isSame(a: unknown, b: readonly string[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
