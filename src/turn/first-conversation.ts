import type { Agent } from "../config/agents.ts";
import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import type { Services } from "../services/services.ts";
import { type OnboardingCache, settleOnboarding } from "../workspace/onboarding.ts";

/** Most workspaces of which an isolate remembers it. */
const MAX_WORKSPACES = 1000;

const known = new Map<string, OnboardingCache>();

/** What this isolate knows of the first conversation of an agent's workspace, for all sessions that live in it. */
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
 * Records that the first conversation of an agent's workspace is over, where a turn has found that it is. To be done
 * after the turn, so that no model waits for it; what fails is done again after the next one. Never rejects.
 */
export async function endFirstConversation(agent: Agent, services: Services, now: () => number): Promise<void> {
  try {
    await settleOnboarding(services.workspaceOf(agent), onboardingOf(agent), now());
  } catch (error) {
    log("warn", "onboarding.not_recorded", { agentId: agent.id, error: messageOf(error) });
  }
}
