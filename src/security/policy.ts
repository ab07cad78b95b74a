import type { InjectionAction } from "./from-outside.ts";
import { hasInjection, type Label, labelText } from "./labels.ts";
import { namesTool, policyAllows, type ToolPolicy } from "./tool-policy.ts";

/** What an agent's turns may do, compiled from one revision of the configuration. Plain data. */
export interface PolicyRules {
  /** Every layer must allow a tool; `rule` is the field that it comes from. */
  tools: readonly { rule: string; policy: ToolPolicy }[];
  /** What people who are not owners may have. */
  others: ToolPolicy;
  exec: ExecPolicy;
  /** What happens when a turn that has read foreign words wants to reach out, or to change what later turns obey. */
  flow: "ask" | "refuse" | "off";
  /** Under `strip-tools` a turn that has read what looks like a prompt injection has no effects but its answer. */
  injection: InjectionAction;
  /** Hosts that may be reached without a question, as `host`, `host:port` or `*.host`. */
  trustedHosts: readonly string[];
  /** Private servers that may be reached, as `host:port`; in a turn that has read foreign words they are like any host. */
  privateHosts: readonly string[];
  /** `allowlist`: commands reach trusted hosts only. `ask`: an owner is asked about others. */
  egress: "open" | "ask" | "allowlist";
}

/** Which commands run, and when an owner is asked. */
export interface ExecPolicy {
  security: "deny" | "allowlist" | "full";
  ask: "off" | "on-miss" | "always";
  /** Programs and hosts of the allowlist. */
  programs: readonly string[];
  hosts: readonly string[];
}

/** Whose turn it is. */
export interface Principal {
  owner: boolean;
  /** Whether somebody is there who could answer a question: false for heartbeats, jobs and hooks. */
  attended: boolean;
}

/** What a turn wants to do. */
export type Action =
  /** Call a tool. */
  | "use-tool"
  /** Run a script: its programs and hosts; undefined programs if they cannot be told. */
  | "run-command"
  /** Send a request to a host. */
  | "reach-host"
  /** Call a tool of a server that the configuration names. */
  | "call-server"
  /** Change what later turns obey: bootstrap files but MEMORY.md, skills, the configuration. */
  | "persist"
  /** Send a message to a conversation. */
  | "send-message"
  /** Read what is the owner's own, where others read the answer. */
  | "read-private";

/** What the action is done to. */
export interface Resource {
  /** The tool, host, path or conversation. */
  name: string;
  /** Of a script. */
  programs?: readonly string[] | undefined;
  hosts?: readonly string[] | undefined;
  /**
   * Whether the owner, or for a request without body anybody in the conversation, has named exactly this; of a server,
   * whether the configuration says that it may be told what the turn has read.
   */
  isNamed?: boolean;
  /** Whether it is the conversation that asked. */
  isHere?: boolean;
  /** Whether the configuration names the host for the tool that reaches it, and for no other. */
  isConfigured?: boolean;
}

/** What is decided, and by which rule. `ask` needs an owner's word. */
export interface PolicyDecision {
  verdict: "allow" | "ask" | "deny";
  /** The field of the configuration, or the fixed rule. */
  rule: string;
}

/** Tools that people who are not owners have only if the configuration names them. */
const NAMED_ONLY = (tool: string) => tool !== "message" && tool !== "session_status";

/**
 * The one decision about what a turn may do. Pure: it depends on its arguments only.
 * @param labels where words come from that the turn has read and that are not the owner's
 */
export function decide(
  rules: PolicyRules,
  principal: Principal,
  action: Action,
  resource: Resource,
  labels: readonly Label[],
): PolicyDecision {
  if (action === "use-tool") return decideTool(rules, principal, resource.name);
  if (rules.injection === "strip-tools" && hasInjection(labels) && !resource.isHere) return STRIPPED;
  switch (action) {
    case "run-command":
      return attendedOnly(principal, decideCommand(rules.exec, resource));
    case "reach-host":
      return attendedOnly(principal, decideHost(rules, resource, labels));
    case "call-server":
      return attendedOnly(principal, decideServer(rules, resource, labels));
    default:
      return attendedOnly(principal, decideFlow(rules, resource, labels));
  }
}

function decideTool({ tools, others, exec }: PolicyRules, { owner }: Principal, tool: string): PolicyDecision {
  const refusing = tools.find(({ policy }) => !policyAllows(policy, tool));
  if (refusing !== undefined) return { verdict: "deny", rule: refusing.rule };
  if (tool === "exec" && exec.security === "deny") return { verdict: "deny", rule: "tools.exec.security" };
  if (owner) return ALLOWED;
  const isGiven = NAMED_ONLY(tool)
    ? namesTool(others.allow ?? [], tool) && policyAllows(others, tool)
    : policyAllows(others, tool, "messaging");
  return { verdict: isGiven ? "allow" : "deny", rule: "tools.others" };
}

function decideCommand({ security, ask, programs, hosts }: ExecPolicy, resource: Resource): PolicyDecision {
  if (security === "deny") return { verdict: "deny", rule: "tools.exec.security" };
  if (ask === "always") return { verdict: "ask", rule: "tools.exec.ask" };
  if (security === "full") return ALLOWED;
  const isListed =
    resource.programs?.every((program) => programs.includes(program)) === true &&
    (resource.hosts ?? []).every((host) => matchesHost(hosts, host));
  if (isListed) return { verdict: "allow", rule: "tools.exec.allowlist" };
  return { verdict: ask === "on-miss" ? "ask" : "deny", rule: "tools.exec.allowlist" };
}

function decideHost(
  rules: PolicyRules,
  { name, isNamed, isConfigured }: Resource,
  labels: readonly Label[],
): PolicyDecision {
  if (isConfigured) return ALLOWED;
  const isTrusted = matchesHost(rules.trustedHosts, name);
  if (isTrusted) return { verdict: "allow", rule: "security.egress.trusted" };
  if (rules.egress !== "open" && !matchesHost(rules.privateHosts, name)) {
    return { verdict: rules.egress === "ask" ? "ask" : "deny", rule: "security.egress.mode" };
  }
  return decideFlow(rules, { name, ...(isNamed && { isNamed }) }, labels);
}

/** The configuration lets a server be reached at all; what it may be told is a matter of the turn. */
function decideServer(rules: PolicyRules, resource: Resource, labels: readonly Label[]): PolicyDecision {
  if (matchesHost(rules.trustedHosts, resource.name)) return { verdict: "allow", rule: "security.egress.trusted" };
  return decideFlow(rules, resource, labels);
}

function decideFlow({ flow }: PolicyRules, { isNamed, isHere }: Resource, labels: readonly Label[]): PolicyDecision {
  if (labels.length === 0 || flow === "off" || isNamed || isHere) return ALLOWED;
  return { verdict: flow === "refuse" ? "deny" : "ask", rule: "security.flow" };
}

const ALLOWED: PolicyDecision = { verdict: "allow", rule: "default" };

const STRIPPED: PolicyDecision = { verdict: "deny", rule: "security.injection.action" };

/** Where nobody could answer, asking is refusing. */
function attendedOnly({ owner, attended }: Principal, decision: PolicyDecision): PolicyDecision {
  return decision.verdict === "ask" && !(attended && owner) ? { ...decision, verdict: "deny" } : decision;
}

/** Whether a list of hosts names one: `example.org`, `example.org:8443`, or `*.example.org` for all below it. */
export function matchesHost(entries: readonly string[], host: string): boolean {
  const wanted = host.toLowerCase();
  const bare = wanted.replace(/:\d+$/, "");
  return entries.some((entry) => {
    const known = entry.toLowerCase();
    if (known.startsWith("*.")) return bare.endsWith(known.slice(1));
    return known === wanted || known === bare;
  });
}

/** Why an action needs a word or is refused, for the model and the owner. */
export function policyReason({ rule }: PolicyDecision, labels: readonly Label[]): string {
  if (rule === STRIPPED.rule) return `this turn has read what looks like a prompt injection (rule ${rule})`;
  if (rule !== "security.flow") return `the rule ${rule} of the configuration`;
  return `this turn has read words from ${labelText(labels)} (rule security.flow)`;
}
