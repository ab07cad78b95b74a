import type { Gate, GatedCall } from "../agent/loop-deps.ts";
import type { AnyTool, Effect, GrantScope } from "../agent/tool.ts";
import { hostOf } from "../lib/url.ts";
import type { Message } from "../models/message.ts";
import { labelsInView } from "../models/view-labels.ts";
import type { AuditLine } from "../security/audit-entry.ts";
import { joinLabels, type Label } from "../security/labels.ts";
import {
  decide,
  matchesHost,
  type PolicyDecision,
  type PolicyRules,
  type Principal,
  policyReason,
  type Resource,
} from "../security/policy.ts";
import type { SafeRequest } from "../security/safe-fetch.ts";
import { SecretBroker } from "../security/secret-broker.ts";
import { isGranted } from "../session-store/grants.ts";
import type { Grant } from "../session-store/stored-shapes.ts";
import type { MayReach } from "../shell/shell.ts";
import { boundedScript, execQuestion, withVisibleControls } from "../tools/exec.ts";
import { isPersistentPath } from "../workspace/persistent-paths.ts";
import { isPrivatePath } from "../workspace/private-paths.ts";
import { isAddressNamed } from "./named-address.ts";
import type { TurnContext } from "./turn-context.ts";
import { turnPolicy } from "./turn-policy.ts";

/** What the gate of a turn needs. */
export interface GateDeps {
  /** The model's view, oldest first. */
  messages(): readonly Message[];
  /** What an owner has allowed for good in this session. */
  grants: readonly Grant[];
  /** Writes lines of the audit trail. */
  audit(lines: readonly AuditLine[]): void;
}

/** The most characters of what a question shows. */
const MAX_SHOWN_CHARS = 1_000;

/**
 * The gate of a turn: asks the policy about every effect of its calls, before they are launched and while they work.
 * What an owner has allowed passes; what is refused says which rule refused it and how to allow it.
 */
export class TurnGate {
  readonly rules: PolicyRules;
  /** The secrets that commands see placeholders of. */
  broker = new SecretBroker([]);
  /** Finds the hosts of the skills that a script uses. */
  skillHosts: (script: string) => Promise<readonly string[]> = async () => [];
  /** The hosts of the skills that the scripts of this turn have used. */
  readonly #trusted = new Set<string>();
  readonly #principal: Principal;
  readonly #deps: GateDeps;
  readonly #runId: string | undefined;
  /** Whether others than the owner read along. */
  readonly #isShared: boolean;
  /** The conversation that asked, as `channel:conversation`. */
  readonly #here: string | undefined;
  readonly #sessionKey: string;
  /** Whether an owner has allowed the call that is at work. Calls that write run alone. */
  #isApproved = false;

  constructor(context: TurnContext, deps: GateDeps) {
    this.rules = turnPolicy(context);
    this.#principal = { owner: context.principal.owner, attended: context.origin.isAttended };
    this.#deps = deps;
    this.#runId = context.runId;
    this.#sessionKey = context.session.key;
    this.#isShared = context.principal.place !== "direct";
    const { target } = context;
    this.#here = target?.conversationId && `${target.channel}:${target.conversationId}`;
  }

  /**
   * The labels that what is written now inherits: none for a call that an owner has allowed.
   * @param approved of a command, which may go on when its call has ended; else that of the call at work
   */
  labels(approved = this.#isApproved): readonly Label[] {
    return approved ? [] : labelsInView(this.#deps.messages());
  }

  /** Whether this turn may have a tool. */
  has(tool: string): boolean {
    return decide(this.rules, this.#principal, "use-tool", { name: tool }, []).verdict === "allow";
  }

  /** See `LoopDeps.gate`. A call that reaches out or changes what later turns obey is noted in the audit trail. */
  async decide(call: GatedCall): Promise<Gate> {
    const gate = await this.#decideCall(call);
    const effects = gate.kind === "go" ? (call.tool.effects?.(call.args as never) ?? []) : [];
    for (const effect of effects) if (effect.kind !== "read") this.#noteCall(call.tool.name, effect);
    return gate;
  }

  #noteCall(tool: string, effect: Exclude<Effect, { kind: "read" }>): void {
    const run = this.#runId === undefined ? {} : { runId: this.#runId };
    this.#deps.audit([{ kind: "tool", by: tool, subject: effect.kind, detail: auditDetail(effect), ...run }]);
  }

  async #decideCall({ tool, args }: GatedCall): Promise<Gate> {
    const labels = labelsInView(this.#deps.messages());
    const ownQuestion = tool.approval?.(args as never);
    const gate = await this.#decideEffects({ tool, args }, labels);
    if (ownQuestion === undefined || gate.kind === "refuse") return gate;
    const own = this.#ask(withVisibleControls(ownQuestion), tool.asksEachTime ? undefined : { tool: tool.name });
    const { owner, attended } = this.#principal;
    // What is asked each time concerns the person of the turn; any other question waits for an owner, wherever they are.
    const isAnswerable = !tool.asksEachTime || (owner && attended);
    return own.kind === "go" || isAnswerable ? own : this.#refuseUnasked(tool.name);
  }

  async #decideEffects({ tool, args }: Pick<GatedCall, "tool" | "args">, labels: readonly Label[]): Promise<Gate> {
    let approved = false;
    let asked: Gate | undefined;
    for (const effect of tool.effects?.(args as never) ?? []) {
      const gate = await this.#decideEffect(tool, args, effect, labels);
      // A person is not asked about a call that another of its effects forbids.
      if (gate.kind === "refuse") return gate;
      if (gate.kind === "ask") asked ??= gate;
      else approved ||= gate.approved;
    }
    return asked ?? { kind: "go", approved };
  }

  /** A tool that tells the gate while its calls are at work. */
  guard(tool: AnyTool): AnyTool {
    if (tool.effects === undefined) return tool;
    return {
      ...tool,
      run: async (args, call) => {
        this.#isApproved = call.approved;
        try {
          return await tool.run(args, call);
        } finally {
          this.#isApproved = false;
        }
      },
    };
  }

  /** Refuses a write to what later turns obey, unless it may be. @throws Error with the rule and what to do */
  checkWrite(path: string, labels: readonly Label[], approved = this.#isApproved): void {
    if (approved || !isPersistentPath(path)) return;
    const seen = joinLabels(labels, labelsInView(this.#deps.messages()));
    const decision = decide(this.rules, this.#principal, "persist", { name: path }, seen);
    if (decision.verdict === "allow") return;
    this.#note(decision, "persist", path);
    throw new Error(
      `${path} says what later turns obey, and was not written: ${policyReason(decision, seen)}. Use write or edit on it, then your owner is asked.`,
    );
  }

  /** Decides about the requests of a command while it runs. */
  mayReach(approved: boolean): MayReach {
    return ({ url, sends, labels }) => {
      if (approved) return undefined;
      const seen = joinLabels(labels, labelsInView(this.#deps.messages()));
      const host = hostOf(url);
      const decision = decide(this.rules, this.#principal, "reach-host", this.#host(host, [url], sends), seen);
      if (decision.verdict === "allow") return undefined;
      this.#note(decision, "reach-host", host);
      const what =
        decision.verdict === "ask"
          ? "Run it again as a command of its own with the address written out: then your owner is asked."
          : "Tell your owner, who can add the host to security.egress.trusted.";
      return `${host} may not be reached unasked: ${policyReason(decision, seen)}. ${what}`;
    };
  }

  /**
   * Decides about what a page in the browser loads by itself, in which the agent has no part: it may reach public hosts as
   * the configuration lets commands, and a private one for its own pages only.
   * @param opened the host that the call opens
   */
  mayLoad(url: string, from: string, opened: string | undefined): string | undefined {
    const host = hostOf(url);
    if (host === opened || host === hostOf(from)) return undefined;
    if (matchesHost(this.rules.privateHosts, host))
      return `${host} is in a private network, and was not loaded by a page of ${hostOf(from)}.`;
    const labels = labelsInView(this.#deps.messages());
    const decision = decide(this.rules, this.#principal, "reach-host", { name: host, isNamed: true }, labels);
    if (decision.verdict === "allow") return undefined;
    return `${host} was not loaded: ${policyReason(decision, labels)}.`;
  }

  /** Puts values of secrets into the requests of a script, for the hosts that may have them. */
  beforeSend(script: string, approved: boolean): SafeRequest["beforeSend"] {
    const mayHave = (skill: string, host: string) =>
      this.#isSecretGranted(skill, host) || (approved && script.includes(host));
    return (request) => this.broker.reveal(request, mayHave);
  }

  #isSecretGranted(skill: string, host: string): boolean {
    return isGranted(this.#deps.grants, secretScope(skill, host));
  }

  /** Asks at the first use of a secret whose entry names no hosts. */
  #decideSecrets(script: string, hosts: readonly string[]): Gate | undefined {
    for (const host of hosts) {
      const [secret] = this.broker.unnamedIn(script, host, (skill, at) => this.#isSecretGranted(skill, at));
      if (secret === undefined) continue;
      const { variable, skill } = secret;
      if (!this.#principal.attended || !this.#principal.owner) {
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

  async #decideEffect(tool: AnyTool, args: unknown, effect: Effect, labels: readonly Label[]): Promise<Gate> {
    if (effect.kind === "read") return this.#decideRead(effect.what, labels);
    if (effect.kind === "run") {
      const gate = await this.#decideRead("the workspace", labels);
      return gate.kind === "go" && !gate.approved ? this.#decideScript(tool, args, effect.script, labels) : gate;
    }
    if (effect.kind === "reach") return this.#decideReach(tool, effect, labels);
    if (effect.kind === "query") return this.#decideQuery(effect, labels);
    if (effect.kind === "call") return this.#decideServerCall(effect, labels);
    const isSend = effect.kind === "send";
    const name = isSend ? effect.to : effect.what;
    const resource = { name, isHere: isSend && this.#isOwn(name), isNamed: isSend && this.#isNamed(name, "owner") };
    const action = isSend ? "send-message" : "persist";
    const decision = decide(this.rules, this.#principal, action, resource, labels);
    if (decision.verdict === "allow") return { kind: "go", approved: false };
    if (decision.verdict === "deny") return this.#refuse(decision, action, name, labels);
    const verb = isSend ? `Send this to ${name}?` : `Change ${name}? Later turns obey what it says.`;
    const scope: GrantScope = { tool: tool.name, ...(isSend && { conversations: [name] }) };
    return this.#ask(
      `${verb} ${sentence(policyReason(decision, labels))}\n${shownText(effect.shown)}`,
      isSend ? scope : undefined,
    );
  }

  #decideReach(tool: AnyTool, { url, sends }: Extract<Effect, { kind: "reach" }>, labels: readonly Label[]): Gate {
    const host = hostOf(url);
    const resource = this.#host(host, [url], sends !== undefined);
    const decision = decide(this.rules, this.#principal, "reach-host", resource, labels);
    if (decision.verdict === "allow") return { kind: "go", approved: false };
    if (decision.verdict === "deny") return this.#refuse(decision, "reach-host", host, labels);
    const what = sends === undefined ? `Request this address of ${host}?` : `Send this to a page of ${host}?`;
    const question = `${what} ${sentence(policyReason(decision, labels))}\n${shownText(sends ?? url)}`;
    return this.#ask(question, { tool: tool.name, hosts: [host] });
  }

  /** The service is the owner's choice; with words that look like a secret it is a host like any other. */
  #decideQuery({ url, secretWords }: Extract<Effect, { kind: "query" }>, labels: readonly Label[]): Gate {
    const host = hostOf(url);
    const resource = { name: host, isConfigured: secretWords === undefined };
    const decision = decide(this.rules, this.#principal, "reach-host", resource, labels);
    if (decision.verdict === "allow") return { kind: "go", approved: false };
    if (decision.verdict === "deny") return this.#refuse(decision, "reach-host", host, labels);
    const reason = sentence(policyReason(decision, labels));
    return this.#ask(`Send what looks like a secret to ${host}? ${reason}\n${shownText(secretWords)}`, undefined);
  }

  #decideServerCall(
    { tool, server, url, isTrusted, shown }: Extract<Effect, { kind: "call" }>,
    labels: readonly Label[],
  ): Gate {
    const host = hostOf(url);
    const resource = { name: host, isNamed: isTrusted };
    const decision = decide(this.rules, this.#principal, "call-server", resource, labels);
    if (decision.verdict === "allow") return { kind: "go", approved: false };
    if (decision.verdict === "deny") return this.#refuse(decision, "call-server", host, labels);
    const why = sentence(policyReason(decision, labels));
    const question = `Call ${tool} of the MCP server '${server}' (${host}) with this? ${why}\n${shownText(shown)}`;
    return this.#ask(question, { tool, hosts: [host] });
  }

  /** Whether a file may be attached to the reply. */
  mayShow(path: string): boolean {
    return !isPrivatePath(path) || this.#mayRead(path, labelsInView(this.#deps.messages())).verdict === "allow";
  }

  /** Others read along in groups: there the answer to foreign words must not hold what is private. */
  #mayRead(what: string, labels: readonly Label[]): PolicyDecision {
    return decide(this.rules, this.#principal, "read-private", { name: what, isHere: !this.#isShared }, labels);
  }

  #decideRead(what: string, labels: readonly Label[]): Gate {
    const decision = this.#mayRead(what, labels);
    if (decision.verdict === "allow") return { kind: "go", approved: false };
    if (decision.verdict === "deny") return this.#refuse(decision, "read-private", what, labels);
    const question = `Read ${what} here, where others read the answer? ${sentence(policyReason(decision, labels))}`;
    return this.#ask(question, undefined);
  }

  async #decideScript(tool: AnyTool, args: unknown, script: string, labels: readonly Label[]): Promise<Gate> {
    if (script.includes("skills/")) for (const host of await this.skillHosts(script)) this.#trusted.add(host);
    const { exec, egress, flow, injection } = this.rules;
    const isPlain = exec.security === "full" && exec.ask !== "always" && egress === "open";
    const hasSecrets = Object.keys(this.broker.env).some((variable) => script.includes(variable));
    if (isPlain && !hasSecrets && (labels.length === 0 || (flow === "off" && injection !== "strip-tools")))
      return { kind: "go", approved: false };
    const { scriptEffects } = await import("../shell/script-effects.ts");
    const { programs, urls, sendsBody } = scriptEffects(script);
    const hosts = [...new Set(urls.map(hostOf))].sort();
    const decisions = [
      {
        name: "the script",
        decision: decide(this.rules, this.#principal, "run-command", { name: "exec", programs, hosts }, labels),
      },
      ...hosts.map((host) => {
        const own = urls.filter((url) => hostOf(url) === host);
        const resource = this.#host(host, own, sendsBody);
        return { name: host, decision: decide(this.rules, this.#principal, "reach-host", resource, labels) };
      }),
    ];
    const denied = decisions.find(({ decision }) => decision.verdict === "deny");
    if (denied !== undefined) return this.#refuse(denied.decision, "run-command", denied.name, labels);
    const asked = decisions.filter(({ decision }) => decision.verdict === "ask");
    const [first] = asked;
    if (first === undefined) return this.#decideSecrets(script, hosts) ?? { kind: "go", approved: false };
    const isAlwaysAsked = exec.ask === "always";
    const scope = programs === undefined || isAlwaysAsked ? undefined : { tool: tool.name, programs, hosts };
    const [question, ...lines] = execQuestion(args as Parameters<typeof execQuestion>[0]).split("\n");
    const why = isAlwaysAsked ? "" : ` ${sentence(policyReason(first.decision, labels))}`;
    const where = hosts.length > 0 && !isAlwaysAsked ? ` It would reach ${hosts.join(", ")}.` : "";
    return this.#ask([`${question}${where}${why}`, ...lines].join("\n"), scope);
  }

  /** Whether a conversation or session is the one that asked, the owner's own, or a sub-agent's. */
  #isOwn(name: string): boolean {
    return name === this.#here || name === this.#sessionKey || /^agent:[^:]+:(?:main$|subagent:)/.test(name);
  }

  #isNamed(address: string, by: "owner" | "anybody"): boolean {
    return isAddressNamed(address, by, this.#deps.messages());
  }

  #host(host: string, urls: readonly string[], sends: boolean): Resource {
    return {
      name: host,
      isNamed: this.#trusted.has(host) || urls.every((url) => this.#isNamed(url, sends ? "owner" : "anybody")),
    };
  }

  #ask(question: string, grant: GrantScope | undefined): Gate {
    if (grant !== undefined && isGranted(this.#deps.grants, grant)) return { kind: "go", approved: true };
    return { kind: "ask", question, ...(grant && { grant }) };
  }

  #refuse(decision: PolicyDecision, action: string, name: string, labels: readonly Label[]): Gate {
    this.#note(decision, action, name);
    const who = this.#principal.attended ? "" : " Nobody is there who could be asked: tell your owner.";
    return {
      kind: "refuse",
      reason: `${name}: ${policyReason(decision, labels)} does not allow it.${who} An owner can allow it in the configuration (${decision.rule}), or ask for it in a conversation without foreign words.`,
    };
  }

  /** Refuses a call with a question of its own where no owner can answer it. */
  #refuseUnasked(tool: string): Gate {
    this.#note({ verdict: "deny", rule: "approval" }, "use-tool", tool);
    return {
      kind: "refuse",
      reason: `${tool}: an owner has to allow this call, and none is there who could be asked. Tell your owner, who can ask for it in a conversation of their own.`,
    };
  }

  #note({ rule }: PolicyDecision, action: string, name: string): void {
    const run = this.#runId === undefined ? {} : { runId: this.#runId };
    this.#deps.audit([{ kind: "refusal", by: rule, subject: name, detail: action, ...run }]);
  }
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

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function shownText(text = ""): string {
  return boundedScript(withVisibleControls(text), MAX_SHOWN_CHARS);
}
