import type { Target } from "../channels/channel.ts";
import { type GroupRules, groupRulesOf } from "../channels/group-rules.ts";
import type { Agent } from "../config/agents.ts";
import type { Services } from "../services/services.ts";

/** Where a turn answers; null if its reply is only read in the session. */
export type TurnTarget =
  | (Pick<Target, "channel" | "accountId" | "kind"> & Partial<Pick<Target, "conversationId" | "parentId">>)
  | null;

/** The rules of the group that a turn answers in; undefined outside of groups. */
export function groupRulesAt(target: TurnTarget, services: Pick<Services, "channel">): GroupRules | undefined {
  if (target === null || target.kind === "direct" || target.conversationId === undefined) return undefined;
  const { channel, context } = services.channel(target.channel, target.accountId);
  const group = { id: target.conversationId, parentId: target.parentId };
  return groupRulesOf(channel.access(context.account).groups, group);
}

/** An agent with the skills that it may use where it answers. */
export function agentAt(agent: Agent, target: TurnTarget, services: Pick<Services, "channel">): Agent {
  const here = groupRulesAt(target, services)?.skills;
  if (here === undefined) return agent;
  return { ...agent, skills: here.filter((name) => agent.skills?.includes(name) ?? true) };
}
