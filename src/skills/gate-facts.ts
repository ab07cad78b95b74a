import type { Agent } from "../config/agents.ts";
import { parseFieldPath } from "../config/field-path.ts";
import { isReservedName } from "../config/reserved-names.ts";
import type { CoreConfig } from "../config/schema.ts";
import { secretRef } from "../config/secret-ref.ts";
import type { GateFacts } from "./gate.ts";

/** The operating system that commands run on. */
const OWN_SYSTEM: ReadonlySet<string> = new Set(["linux"]);

/** Inputs of the gates that are not in the configuration. */
export interface GateInputs {
  /** The shell's commands. */
  commands: Iterable<string>;
  /** The value of a variable or secret of the Worker. */
  secret(name: string): string | undefined;
  /** Why a skill is quarantined, by its location. */
  quarantined: ReadonlyMap<string, string>;
  /** Operating systems and commands of connected nodes. */
  nodes?: { os: Iterable<string>; commands: Iterable<string> };
}

/** The facts that the gates check for one agent. */
export function gateFacts(config: CoreConfig, agent: Pick<Agent, "skills">, around: GateInputs): GateFacts {
  const { commands, secret, quarantined, nodes } = around;
  return {
    os: nodes === undefined ? OWN_SYSTEM : new Set([...OWN_SYSTEM, ...nodes.os]),
    commands: new Set([...commands, ...(nodes?.commands ?? [])]),
    hasEnv: (name) => !isReservedName(name) && secret(name) !== undefined,
    configAt: (path) => configAt(config, path, secret),
    entries: config.skills.entries,
    allowBundled: config.skills.allowBundled,
    allowed: agent.skills,
    quarantined,
  };
}

/**
 * The configured value at a path, defaults included. OpenClaw puts the fields of a single account beside `accounts`, so
 * `channels.telegram.botToken` is looked up in every account. A reference to an unset secret is undefined.
 */
function configAt(config: CoreConfig, path: string, secret: GateInputs["secret"]): unknown {
  const steps = parseFieldPath(path);
  if (steps === undefined || steps.length === 0) return undefined;
  const found = valueAt(config, steps) ?? valueOfAccounts(config, steps);
  const reference = secretRef.safeParse(found);
  return reference.success ? secret(reference.data.id) : found;
}

function valueOfAccounts(config: CoreConfig, steps: readonly string[]): unknown {
  const [top, channel = "", ...rest] = steps;
  if (top !== "channels" || rest.length === 0) return undefined;
  const accounts = valueAt(config, [top, channel, "accounts"]);
  if (typeof accounts !== "object" || accounts === null) return undefined;
  return Object.values(accounts)
    .map((account: unknown) => valueAt(account, rest))
    .find((value) => value !== undefined);
}

function valueAt(value: unknown, steps: readonly string[]): unknown {
  return steps.reduce<unknown>((inner, step) => {
    const isFolder = typeof inner === "object" && inner !== null && Object.hasOwn(inner, step);
    return isFolder ? Reflect.get(inner, step) : undefined;
  }, value);
}
