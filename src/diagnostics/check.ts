import type { ChannelFinding } from "../channels/channel.ts";
import type { DiagnosticsContext } from "./diagnostics-context.ts";

/** The areas that are checked, in reading order. */
export type Area =
  | "configuration"
  | "secrets"
  | "bindings"
  | "database"
  | "models"
  | "agents"
  | "search"
  | "channels"
  | "owners"
  | "security"
  | "workspaces"
  | "memory"
  | "skills"
  | "mcp"
  | "sessions"
  | "budgets"
  | "backlog";

/** The result of one check. A `warn` or `fail` says how to fix it. */
export type Check = ChannelFinding & {
  /** Stable across requests, such as `secrets.OPENAI_API_KEY`. */
  id: string;
  area: Area;
  /** The field of the configuration, or the file, that it is about. */
  path?: string;
};

/** Runs the checks of one area. A thrown error becomes a failed check. */
export type Examine = (context: DiagnosticsContext) => Promise<Check[]> | Check[];
