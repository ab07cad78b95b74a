import type { PolicyRules } from "../security/policy.ts";
import type { ToolPolicy } from "../security/tool-policy.ts";
import type { Agent } from "./agents.ts";
import type { CoreConfig } from "./schema.ts";

/** Where a turn takes place, as far as tool policies depend on it. */
export interface PolicyPlace {
  /** A channel's id; absent for the API and the page. */
  channel?: string | undefined;
  /** The tools of the group. */
  group?: ToolPolicy | undefined;
  /** The sender as `channel:id`. */
  sender?: string | undefined;
}

/** The rules for the turns of an agent at a place. */
export function policyRules(config: CoreConfig, agent: Agent, { channel, group, sender }: PolicyPlace): PolicyRules {
  const { tools, security } = config;
  const [shared, own] = agent.toolPolicies;
  const layers: { rule: string; policy: ToolPolicy | undefined }[] = [
    { rule: "tools", policy: shared },
    { rule: `agents.list[${agent.id}].tools`, policy: own },
    { rule: `tools.byChannel.${channel}`, policy: ownValue(tools.byChannel, channel) },
    { rule: "groups.<id>.tools", policy: group },
    { rule: `tools.bySender.${sender}`, policy: ownValue(tools.bySender, sender) },
  ];
  return {
    tools: layers.flatMap(({ rule, policy }) => (policy === undefined ? [] : [{ rule, policy }])),
    others: tools.others,
    exec: agent.exec ?? { security: "deny", ask: "off", programs: [], hosts: [] },
    flow: security.flow,
    injection: security.injection.action,
    egress: security.egress.mode,
    trustedHosts: security.egress.trusted,
    privateHosts: security.egress.allowPrivate,
  };
}

function ownValue<Value>(values: Readonly<Record<string, Value>>, key: string | undefined): Value | undefined {
  return key !== undefined && Object.hasOwn(values, key) ? values[key] : undefined;
}
