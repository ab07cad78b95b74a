import type { Gate, GatedCall } from "../agent/loop-deps.ts";
import type { AnyTool } from "../agent/tool.ts";
import { hostOf } from "../lib/url.ts";
import { joinLabels, type Label } from "../security/labels.ts";
import { matchesHost, policyReason } from "../security/policy.ts";
import type { SafeRequest } from "../security/safe-fetch.ts";
import { SecretBroker } from "../security/secret-broker.ts";
import type { Grant } from "../session-store/stored-shapes.ts";
import type { MayReach } from "../shell/shell.ts";
import { isPersistentPath } from "../workspace/persistent-paths.ts";
import { isPrivatePath } from "../workspace/private-paths.ts";
import { CallGate } from "./call-gate.ts";
import type { TurnContext } from "./turn-context.ts";
import { TurnPolicy, type TurnPolicyDeps } from "./turn-policy.ts";

/** What the gate of a turn needs. */
export interface GateDeps extends TurnPolicyDeps {
  /** What an owner has allowed for good in this session. */
  grants: readonly Grant[];
}

/**
 * The gate of a turn: asks the policy about every effect of its calls, before they are launched (`CallGate`) and while
 * they work. What an owner has allowed passes.
 */
export class TurnGate {
  /** The secrets that commands see placeholders of. */
  broker = new SecretBroker([]);
  /** Finds the hosts of the skills that a script uses. */
  skillHosts: (script: string) => Promise<readonly string[]> = async () => [];
  readonly #policy: TurnPolicy;
  readonly #calls: CallGate;
  /** Whether an owner has allowed the call that is at work. Calls that write run alone. */
  #isApproved = false;

  constructor(context: TurnContext, deps: GateDeps) {
    this.#policy = new TurnPolicy(context, deps);
    this.#calls = new CallGate({
      policy: this.#policy,
      grants: deps.grants,
      broker: () => this.broker,
      skillHosts: (script) => this.skillHosts(script),
    });
  }

  /** Whether this turn may have a tool. */
  has(tool: string): boolean {
    return this.#policy.decide("use-tool", { name: tool }, []).verdict === "allow";
  }

  /** See `LoopDeps.gate`. */
  decide(call: GatedCall): Promise<Gate> {
    return this.#calls.decide(call);
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

  /**
   * The labels that what is written now inherits: none for a call that an owner has allowed.
   * @param approved of a command, which may go on when its call has ended; else that of the call at work
   */
  labels(approved = this.#isApproved): readonly Label[] {
    return approved ? [] : this.#policy.labels();
  }

  /** Refuses a write to what later turns obey, unless it may be. @throws Error with the rule and what to do */
  checkWrite(path: string, labels: readonly Label[], approved = this.#isApproved): void {
    if (approved || !isPersistentPath(path)) return;
    const seen = joinLabels(labels, this.#policy.labels());
    const decision = this.#policy.decide("persist", { name: path }, seen);
    if (decision.verdict === "allow") return;
    this.#policy.noteRefusal(decision, "persist", path);
    throw new Error(
      `${path} says what later turns obey, and was not written: ${policyReason(decision, seen)}. Use write or edit on it, then your owner is asked.`,
    );
  }

  /** Decides about the requests of a command while it runs. */
  mayReach(approved: boolean): MayReach {
    return ({ url, sends, labels }) => {
      if (approved) return undefined;
      const seen = joinLabels(labels, this.#policy.labels());
      const host = hostOf(url);
      const decision = this.#policy.decide("reach-host", this.#policy.hostResource(host, [url], sends), seen);
      if (decision.verdict === "allow") return undefined;
      this.#policy.noteRefusal(decision, "reach-host", host);
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
    if (matchesHost(this.#policy.rules.privateHosts, host))
      return `${host} is in a private network, and was not loaded by a page of ${hostOf(from)}.`;
    const labels = this.#policy.labels();
    const decision = this.#policy.decide("reach-host", { name: host, isNamed: true }, labels);
    if (decision.verdict === "allow") return undefined;
    return `${host} was not loaded: ${policyReason(decision, labels)}.`;
  }

  /** Puts values of secrets into the requests of a script, for the hosts that may have them. */
  beforeSend(script: string, approved: boolean): SafeRequest["beforeSend"] {
    const mayHave = (skill: string, host: string) =>
      this.#calls.isSecretGranted(skill, host) || (approved && script.includes(host));
    return (request) => this.broker.reveal(request, mayHave);
  }

  /** Whether a file may be attached to the reply. */
  mayShow(path: string): boolean {
    return !isPrivatePath(path) || this.#policy.decideRead(path, this.#policy.labels()).verdict === "allow";
  }
}
