import { policyRules } from "../config/policy-rules.ts";
import type { PolicyRules } from "../security/policy.ts";
import { groupRulesAt } from "./group-rules.ts";
import type { TurnContext } from "./turn-context.ts";

/** The rules of a turn at its place. */
export function turnPolicy(context: TurnContext): PolicyRules {
  const { services, agent, target, principal } = context;
  const group = groupRulesAt(target, services)?.tools;
  const place = { channel: target?.channel, group, sender: principal.sender };
  return policyRules(services.config, agent, place);
}
