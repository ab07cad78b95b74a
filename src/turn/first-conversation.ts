import type { Agent } from "../config/agents.ts";
import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import type { Services } from "../services/services.ts";
import { type OnboardingCache, settleOnboarding } from "../workspace/onboarding.ts";

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
