import type { CoreConfig } from "./schema.ts";

/** Longest time of a command, in seconds, whatever is configured: the session's object is awake, and billed, meanwhile. */
const MAX_TIMEOUT_SEC = 600;

/** How an agent runs commands; undefined where it runs none. */
export interface ExecRules {
  /** Whether an owner is asked about each command. */
  asks: boolean;
  timeoutSec: number;
}

/**
 * What `tools.exec` comes to. Nothing matches an allowlist yet, so that everything is a miss: it is asked about, or does not
 * run. Like in OpenClaw, `on-miss` asks nothing where there is no allowlist.
 */
export function execRules({ security, ask, timeoutSec }: CoreConfig["tools"]["exec"]): ExecRules | undefined {
  if (security === "deny" || (security === "allowlist" && ask === "off")) return undefined;
  const asks = ask === "always" || (ask === "on-miss" && security === "allowlist");
  return { asks, timeoutSec: Math.min(timeoutSec, MAX_TIMEOUT_SEC) };
}
