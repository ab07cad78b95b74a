import { type Agent, heartbeatOf } from "../config/agents.ts";
import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { applyFileHooks } from "../plugins/apply-prompt-hooks.ts";
import type { Services } from "../services/services.ts";
import { isSkillAddress } from "../services/skills/skill-files.ts";
import type { TurnSkills } from "../services/skills/turn-skills.ts";
import { type BootstrapFiles, type BootstrapRequest, etagsShown, loadBootstrap } from "../workspace/bootstrap.ts";
import { noteOnboardingEnd, type OnboardingCache, onboardingStage, settleOnboarding } from "../workspace/onboarding.ts";
import { isSeeded, seedWorkspace } from "../workspace/seed.ts";
import { type Workspace, WorkspaceError } from "../workspace/workspace.ts";
import { isOwnerAlone, isPersonal } from "./principal.ts";
import type { TurnContext } from "./turn-context.ts";
import type { FilesDeps } from "./turn-deps.ts";

/**
 * The workspace files that the prompt shows, from one listing of the root and reads of changed files. If bootstrap
 * files are skipped, none is read or created.
 */
export async function gatherFiles(
  context: TurnContext,
  workspace: Workspace,
  deps: FilesDeps,
): Promise<BootstrapFiles> {
  const { mode, runId, agent } = context;
  if (agent.defaults.skipBootstrap) return { shown: [], warnings: [] };
  const onboarding = onboardingOf(agent);
  const listed = (await deps.listing) ?? (await workspace.list(""));
  const listing = await seedWorkspace(workspace, listed, Date.now());
  if (mode === "none") return { shown: [], warnings: [] };
  const firstConversation = isOnboardingHere(context)
    ? await onboardingStage(workspace, listing, onboarding)
    : "elsewhere";
  const request = bootstrapRequest(context, {
    workspace,
    listing,
    cache: deps.bootstrapCache,
    mode,
    firstConversation,
  });
  const { shown: files, ...rest } = await loadBootstrap(request);
  if (firstConversation === "here") noteOnboardingEnd(files, listing, onboarding);
  const shown = await applyFileHooks(files, request.limits, deps.hooks, runId);
  const asTheyAre = files.filter((file) => shown.includes(file));
  deps.readEtags.seen(etagsShown(asTheyAre, deps.bootstrapCache));
  return { ...rest, shown };
}

/**
 * Reads what `gatherFiles` will need, into the caches that it looks into, beside other work. Nothing is written. Never
 * rejects: what fails is read again.
 */
export async function readFilesAhead(
  context: TurnContext,
  workspace: Workspace,
  { listing: listed, bootstrapCache: cache }: Pick<FilesDeps, "listing" | "bootstrapCache">,
): Promise<void> {
  const { agent, mode } = context;
  const listing = await listed;
  if (listing === undefined || !isSeeded(listing) || agent.defaults.skipBootstrap || mode === "none") return;
  const firstConversation = isOnboardingHere(context) ? "here" : "elsewhere";
  const stage = firstConversation === "here" ? onboardingStage(workspace, listing, onboardingOf(agent)) : undefined;
  const files = loadBootstrap(bootstrapRequest(context, { workspace, listing, cache, mode, firstConversation }));
  await Promise.allSettled([stage, files]);
}

function isOnboardingHere({ mode, principal }: TurnContext): boolean {
  return mode === "full" && isOwnerAlone(principal);
}

function bootstrapRequest(
  { principal, agent, services: { config }, beat }: TurnContext,
  given: Pick<BootstrapRequest, "workspace" | "listing" | "cache" | "mode" | "firstConversation">,
) {
  const { bootstrapMaxChars, bootstrapTotalMaxChars } = agent.defaults;
  return {
    ...given,
    heartbeat:
      beat?.isLight === true
        ? ("alone" as const)
        : beat !== undefined || (given.mode === "full" && isOwnerAlone(principal) && hasSection(config, agent.id)),
    personal: isPersonal(principal, config),
    limits: { fileChars: bootstrapMaxChars, totalChars: bootstrapTotalMaxChars },
  };
}

function hasSection(config: Services["config"], agentId: string): boolean {
  return heartbeatOf(config, agentId)?.includeSystemPromptSection ?? false;
}

/** The bytes of an image in a message; undefined if the file is gone or is not a readable image. */
export async function loadFile(
  path: string,
  workspace: Pick<Workspace, "read">,
  skills: TurnSkills["files"],
): Promise<Uint8Array | undefined> {
  if (isSkillAddress(path)) return skills.readIfAllowed(path);
  try {
    return (await workspace.read(path)).bytes;
  } catch (error) {
    if (error instanceof WorkspaceError && error.code !== "unavailable") return undefined;
    throw error;
  }
}

/** Most workspaces that the cache holds. */
const MAX_WORKSPACES = 1000;

const known = new Map<string, OnboardingCache>();

/** The isolate's cached onboarding state of an agent's workspace, for all its sessions. */
export function onboardingOf({ id, workspace = "" }: Pick<Agent, "id" | "workspace">): OnboardingCache {
  const place = `${id} ${workspace}`;
  const memory = known.get(place) ?? {};
  known.delete(place);
  known.set(place, memory);
  const [oldest] = known.keys();
  if (known.size > MAX_WORKSPACES && oldest !== undefined) known.delete(oldest);
  return memory;
}

/**
 * Records that the first conversation of an agent's workspace is over, if a turn has found so. Call it after the turn,
 * so that it delays no reply; a failed write is repeated after the next turn. Never rejects.
 */
export async function endFirstConversation(agent: Agent, services: Services, now: () => number): Promise<void> {
  try {
    await settleOnboarding(services.workspaceOf(agent), onboardingOf(agent), now());
  } catch (error) {
    log("warn", "onboarding.not_recorded", { agentId: agent.id, error: messageOf(error) });
  }
}
