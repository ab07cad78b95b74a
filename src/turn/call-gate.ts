import type { Gate, GatedCall } from "../agent/loop-deps.ts";
import type { AnyTool, Effect, GrantScope } from "../agent/tool.ts";
import { hostOf } from "../lib/url.ts";
import type { Label } from "../security/labels.ts";
import { type Action, type PolicyDecision, policyReason } from "../security/policy.ts";
import type { SecretBroker } from "../security/secret-broker.ts";
import { isGranted } from "../session-store/grants.ts";
import type { Grant } from "../session-store/stored-shapes.ts";
import { boundedScript, execQuestion, withVisibleControls } from "../tools/exec.ts";
import type { TurnPolicy } from "./turn-policy.ts";

/** What the gate before a call needs. */
export interface CallGateDeps {
  policy: TurnPolicy;
  /** What an owner has allowed for good in this session. */
  grants: readonly Grant[];
  /** The secrets that commands see placeholders of. */
  broker(): SecretBroker;
  /** Finds the hosts of the skills that a script uses. */
  skillHosts(script: string): Promise<readonly string[]>;
}

type EffectOf<Kind extends Effect["kind"]> = Extract<Effect, { kind: Kind }>;

/** The most characters of what a question shows. */
const MAX_SHOWN_CHARS = 1_000;

const GO: Gate = { kind: "go", approved: false };

/**
 * Decides about a call before it is launched, by each of its effects: it goes, an owner is asked, or it is refused with the
 * rule that refused it and how to allow it.
 */
export class CallGate {
  readonly #deps: CallGateDeps;
  readonly #policy: TurnPolicy;

  constructor(deps: CallGateDeps) {
    this.#deps = deps;
    this.#policy = deps.policy;
  }

  /** See `LoopDeps.gate`. A call that reaches out or changes what later turns obey is noted in the audit trail. */
  async decide(call: GatedCall): Promise<Gate> {
    const gate = await this.#decideCall(call);
    const effects = gate.kind === "go" ? callEffects(call) : [];
    for (const effect of effects) {
      if (effect.kind !== "read") this.#policy.noteCall(call.tool.name, effect.kind, auditDetail(effect));
    }
    return gate;
  }

  /** Whether an owner has allowed for good that a secret of a skill goes to a host. */
  isSecretGranted(skill: string, host: string): boolean {
    return isGranted(this.#deps.grants, secretScope(skill, host));
  }

  async #decideCall({ tool, args }: GatedCall): Promise<Gate> {
    const labels = this.#policy.labels();
    const ownQuestion = tool.approval?.(args as never);
    const gate = await this.#decideEffects({ tool, args }, labels);
    if (ownQuestion === undefined || gate.kind === "refuse") return gate;
    const own = this.#ask(withVisibleControls(ownQuestion), tool.asksEachTime ? undefined : { tool: tool.name });
    const { owner, attended } = this.#policy.principal;
    // What is asked each time concerns the person of the turn; any other question waits for an owner, wherever they are.
    const isAnswerable = !tool.asksEachTime || (owner && attended);
    return own.kind === "go" || isAnswerable ? own : this.#refuseUnasked(tool.name);
  }

  async #decideEffects(call: Pick<GatedCall, "tool" | "args">, labels: readonly Label[]): Promise<Gate> {
    let approved = false;
    let asked: Gate | undefined;
    for (const effect of callEffects(call)) {
      const gate = await this.#decideEffect(call, effect, labels);
      // A person is not asked about a call that another of its effects forbids.
      if (gate.kind === "refuse") return gate;
      if (gate.kind === "ask") asked ??= gate;
      else approved ||= gate.approved;
    }
    return asked ?? { kind: "go", approved };
  }

  async #decideEffect(
    { tool, args }: Pick<GatedCall, "tool" | "args">,
    effect: Effect,
    labels: readonly Label[],
  ): Promise<Gate> {
    switch (effect.kind) {
      case "read":
        return this.#decideRead(effect.what, labels);
      case "run": {
        const gate = this.#decideRead("the workspace", labels);
        return gate.kind === "go" && !gate.approved ? this.#decideScript(tool, args, effect.script, labels) : gate;
      }
      case "reach":
        return this.#decideReach(tool, effect, labels);
      case "query":
        return this.#decideQuery(effect, labels);
      case "call":
        return this.#decideServerCall(effect, labels);
      case "send":
        return this.#decideSend(tool, effect, labels);
      case "persist":
        return this.#decidePersist(effect, labels);
    }
  }

  #decideRead(what: string, labels: readonly Label[]): Gate {
    const decision = this.#policy.decideRead(what, labels);
    if (decision.verdict === "allow") return GO;
    if (decision.verdict === "deny") return this.#refuse(decision, "read-private", what, labels);
    const question = `Read ${what} here, where others read the answer? ${reasonSentence(decision, labels)}`;
    return this.#ask(question, undefined);
  }

  #decideSend(tool: AnyTool, { to, shown }: EffectOf<"send">, labels: readonly Label[]): Gate {
    const decision = this.#policy.decide("send-message", this.#policy.conversationResource(to), labels);
    if (decision.verdict === "allow") return GO;
    if (decision.verdict === "deny") return this.#refuse(decision, "send-message", to, labels);
    const question = `Send this to ${to}? ${reasonSentence(decision, labels)}\n${shownText(shown)}`;
    return this.#ask(question, { tool: tool.name, conversations: [to] });
  }

  #decidePersist({ what, shown }: EffectOf<"persist">, labels: readonly Label[]): Gate {
    const decision = this.#policy.decide("persist", { name: what }, labels);
    if (decision.verdict === "allow") return GO;
    if (decision.verdict === "deny") return this.#refuse(decision, "persist", what, labels);
    const why = reasonSentence(decision, labels);
    return this.#ask(`Change ${what}? Later turns obey what it says. ${why}\n${shownText(shown)}`, undefined);
  }

  #decideReach(tool: AnyTool, { url, sends }: EffectOf<"reach">, labels: readonly Label[]): Gate {
    const host = hostOf(url);
    const decision = this.#policy.decide(
      "reach-host",
      this.#policy.hostResource(host, [url], sends !== undefined),
      labels,
    );
    if (decision.verdict === "allow") return GO;
    if (decision.verdict === "deny") return this.#refuse(decision, "reach-host", host, labels);
    const what = sends === undefined ? `Request this address of ${host}?` : `Send this to a page of ${host}?`;
    const question = `${what} ${reasonSentence(decision, labels)}\n${shownText(sends ?? url)}`;
    return this.#ask(question, { tool: tool.name, hosts: [host] });
  }

  /** The service is the owner's choice; with words that look like a secret it is a host like any other. */
  #decideQuery({ url, secretWords }: EffectOf<"query">, labels: readonly Label[]): Gate {
    const host = hostOf(url);
    const resource = { name: host, isConfigured: secretWords === undefined };
    const decision = this.#policy.decide("reach-host", resource, labels);
    if (decision.verdict === "allow") return GO;
    if (decision.verdict === "deny") return this.#refuse(decision, "reach-host", host, labels);
    const why = reasonSentence(decision, labels);
    return this.#ask(`Send what looks like a secret to ${host}? ${why}\n${shownText(secretWords)}`, undefined);
  }

  #decideServerCall(effect: EffectOf<"call">, labels: readonly Label[]): Gate {
    const { tool, server, url, isTrusted, shown } = effect;
    const host = hostOf(url);
    const decision = this.#policy.decide("call-server", { name: host, isNamed: isTrusted }, labels);
    if (decision.verdict === "allow") return GO;
    if (decision.verdict === "deny") return this.#refuse(decision, "call-server", host, labels);
    const why = reasonSentence(decision, labels);
    const question = `Call ${tool} of the MCP server '${server}' (${host}) with this? ${why}\n${shownText(shown)}`;
    return this.#ask(question, { tool, hosts: [host] });
  }

  async #decideScript(tool: AnyTool, args: unknown, script: string, labels: readonly Label[]): Promise<Gate> {
    const { skillHosts, broker } = this.#deps;
    if (script.includes("skills/")) for (const host of await skillHosts(script)) this.#policy.trustHost(host);
    const { exec, egress, flow, injection } = this.#policy.rules;
    const isPlain = exec.security === "full" && exec.ask !== "always" && egress === "open";
    const hasSecrets = Object.keys(broker().env).some((variable) => script.includes(variable));
    if (isPlain && !hasSecrets && (labels.length === 0 || (flow === "off" && injection !== "strip-tools"))) return GO;
    const { scriptEffects } = await import("../shell/script-effects.ts");
    const { programs, urls, sendsBody } = scriptEffects(script);
    const hosts = [...new Set(urls.map(hostOf))].sort();
    const decisions = [
      {
        name: "the script",
        decision: this.#policy.decide("run-command", { name: "exec", programs, hosts }, labels),
      },
      ...hosts.map((host) => {
        const own = urls.filter((url) => hostOf(url) === host);
        const resource = this.#policy.hostResource(host, own, sendsBody);
        return { name: host, decision: this.#policy.decide("reach-host", resource, labels) };
      }),
    ];
    const denied = decisions.find(({ decision }) => decision.verdict === "deny");
    if (denied !== undefined) return this.#refuse(denied.decision, "run-command", denied.name, labels);
    const first = decisions.find(({ decision }) => decision.verdict === "ask");
    if (first === undefined) return this.#decideSecrets(script, hosts) ?? GO;
    const isAlwaysAsked = exec.ask === "always";
    const scope = programs === undefined || isAlwaysAsked ? undefined : { tool: tool.name, programs, hosts };
    const [question, ...lines] = execQuestion(args as Parameters<typeof execQuestion>[0]).split("\n");
    const why = isAlwaysAsked ? "" : ` ${reasonSentence(first.decision, labels)}`;
    const where = hosts.length > 0 && !isAlwaysAsked ? ` It would reach ${hosts.join(", ")}.` : "";
    return this.#ask([`${question}${where}${why}`, ...lines].join("\n"), scope);
  }

  /** Asks at the first use of a secret whose entry names no hosts. */
  #decideSecrets(script: string, hosts: readonly string[]): Gate | undefined {
    for (const host of hosts) {
      const isGrantedAt = (skill: string, at: string) => this.isSecretGranted(skill, at);
      const [secret] = this.#deps.broker().unnamedIn(script, host, isGrantedAt);
      if (secret === undefined) continue;
      const { variable, skill } = secret;
      const { owner, attended } = this.#policy.principal;
      if (!attended || !owner) {
        const decision = { verdict: "deny", rule: `skills.entries.${skill}.hosts` } as const;
        return this.#refuse(decision, "send-secret", host, []);
      }
      return this.#ask(
        `Send ${variable}, a secret of the skill '${skill}', to ${host}?\n${shownText(script)}`,
        secretScope(skill, host),
      );
    }
    return undefined;
  }

  #ask(question: string, grant: GrantScope | undefined): Gate {
    if (grant !== undefined && isGranted(this.#deps.grants, grant)) return { kind: "go", approved: true };
    return { kind: "ask", question, ...(grant && { grant }) };
  }

  #refuse(decision: PolicyDecision, action: Action | "send-secret", name: string, labels: readonly Label[]): Gate {
    this.#policy.noteRefusal(decision, action, name);
    const who = this.#policy.principal.attended ? "" : " Nobody is there who could be asked: tell your owner.";
    return {
      kind: "refuse",
      reason: `${name}: ${policyReason(decision, labels)} does not allow it.${who} An owner can allow it in the configuration (${decision.rule}), or ask for it in a conversation without foreign words.`,
    };
  }

  /** Refuses a call with a question of its own where no owner can answer it. */
  #refuseUnasked(tool: string): Gate {
    this.#policy.noteRefusal({ rule: "approval" }, "use-tool", tool);
    return {
      kind: "refuse",
      reason: `${tool}: an owner has to allow this call, and none is there who could be asked. Tell your owner, who can ask for it in a conversation of their own.`,
    };
  }
}

function callEffects({ tool, args }: Pick<GatedCall, "tool" | "args">): readonly Effect[] {
  return tool.effects?.(args as never) ?? [];
}

/** What an effect is done to, without content: an address may have a secret in it. */
function auditDetail(effect: Exclude<Effect, { kind: "read" }>): string {
  switch (effect.kind) {
    case "run":
      return "a script";
    case "send":
      return effect.to;
    case "reach":
    case "query":
      return hostOf(effect.url);
    case "call":
      return `${effect.tool} at ${hostOf(effect.url)}`;
    case "persist":
      return effect.what;
  }
}

/** What "always" allows of a secret: to send it to this host. */
function secretScope(skill: string, host: string): GrantScope {
  return { tool: `secret of ${skill}`, hosts: [host] };
}

function reasonSentence(decision: PolicyDecision, labels: readonly Label[]): string {
  const reason = policyReason(decision, labels);
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
}

function shownText(text = ""): string {
  return boundedScript(withVisibleControls(text), MAX_SHOWN_CHARS);
}
