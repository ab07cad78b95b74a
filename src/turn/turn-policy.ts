import type { Effect } from "../agent/tool.ts";
import { policyRules } from "../config/policy-rules.ts";
import type { Message } from "../models/message.ts";
import { labelsInView } from "../models/view-labels.ts";
import type { AuditLine } from "../security/audit-entry.ts";
import type { Label } from "../security/labels.ts";
import {
  type Action,
  decide,
  type PolicyDecision,
  type PolicyRules,
  type Principal,
  type Resource,
} from "../security/policy.ts";
import { groupRulesAt } from "./group-rules.ts";
import { isAddressNamed } from "./named-address.ts";
import type { TurnContext } from "./turn-context.ts";

/** What the policy of a turn looks at and writes to. */
export interface TurnPolicyDeps {
  /** The model's view, oldest first. */
  messages(): readonly Message[];
  /** Writes lines of the audit trail. */
  audit(lines: readonly AuditLine[]): void;
}

/** The rules of a turn at its place. */
export function turnRules(context: TurnContext): PolicyRules {
  const { services, agent, target, principal } = context;
  const group = groupRulesAt(target, services)?.tools;
  const place = { channel: target?.channel, group, sender: principal.sender };
  return policyRules(services.config, agent, place);
}

/** The policy as it applies to one turn: who asks, where, and after which words. */
export class TurnPolicy {
  readonly rules: PolicyRules;
  readonly principal: Principal;
  readonly #deps: TurnPolicyDeps;
  readonly #runId: string | undefined;
  /** Whether others than the owner read along. */
  readonly #isShared: boolean;
  /** The conversation that asked, as `channel:conversation`. */
  readonly #here: string | undefined;
  readonly #sessionKey: string;
  /** The hosts of the skills that the scripts of this turn have used. */
  readonly #trustedHosts = new Set<string>();

  constructor(context: TurnContext, deps: TurnPolicyDeps) {
    this.rules = turnRules(context);
    this.principal = { owner: context.principal.owner, attended: context.origin.isAttended };
    this.#deps = deps;
    this.#runId = context.runId;
    this.#sessionKey = context.session.key;
    this.#isShared = context.principal.place !== "direct";
    const { target } = context;
    this.#here = target?.conversationId && `${target.channel}:${target.conversationId}`;
  }

  decide(action: Action, resource: Resource, labels: readonly Label[]): PolicyDecision {
    return decide(this.rules, this.principal, action, resource, labels);
  }

  /** Others read along in groups: there the answer to foreign words must not hold what is private. */
  decideRead(what: string, labels: readonly Label[]): PolicyDecision {
    return this.decide("read-private", { name: what, isHere: !this.#isShared }, labels);
  }

  /** The labels of the words that the model sees. */
  labels(): readonly Label[] {
    return labelsInView(this.#deps.messages());
  }

  trustHost(host: string): void {
    this.#trustedHosts.add(host);
  }

  /**
   * A host as a resource. It counts as named if a skill of this turn uses it, or if every address was named: by the owner
   * where something is sent, else by anybody.
   */
  hostResource(host: string, urls: readonly string[], sends: boolean): Resource {
    const isNamed = (url: string) => this.#isNamed(url, sends ? "owner" : "anybody");
    return { name: host, isNamed: this.#trustedHosts.has(host) || urls.every(isNamed) };
  }

  /** A conversation or session as a resource. */
  conversationResource(name: string): Resource {
    return { name, isHere: this.#isOwn(name), isNamed: this.#isNamed(name, "owner") };
  }

  /** Whether a conversation or session is the one that asked, the owner's own, or a sub-agent's. */
  #isOwn(name: string): boolean {
    return name === this.#here || name === this.#sessionKey || /^agent:[^:]+:(?:main$|subagent:)/.test(name);
  }

  #isNamed(address: string, by: "owner" | "anybody"): boolean {
    return isAddressNamed(address, by, this.#deps.messages());
  }

  /** Notes in the audit trail a call that may be launched. */
  noteCall(tool: string, effect: Effect["kind"], detail: string): void {
    this.#note({ kind: "tool", by: tool, subject: effect, detail });
  }

  /** Notes in the audit trail which rule refused what. */
  noteRefusal({ rule }: Pick<PolicyDecision, "rule">, action: Action | "send-secret", name: string): void {
    this.#note({ kind: "refusal", by: rule, subject: name, detail: action });
  }

  #note(line: AuditLine): void {
    this.#deps.audit([{ ...line, ...(this.#runId !== undefined && { runId: this.#runId }) }]);
  }
}
