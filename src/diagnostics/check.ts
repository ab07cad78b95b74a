import type { ChannelFinding } from "../channels/channel.ts";
import type { DiagnosticsContext } from "./diagnostics-context.ts";

/** What was looked at, in the order in which people read it. */
export type Area =
  | "configuration"
  | "secrets"
  | "bindings"
  | "database"
  | "models"
  | "agents"
  | "channels"
  | "owners"
  | "workspaces"
  | "memory"
  | "skills"
  | "budgets"
  | "backlog";

/** One thing that was looked at, and how it is. Whatever is not well says how to mend it. */
export type Check = ChannelFinding & {
  /** Stays the same from one look to the next, such as `secrets.OPENAI_API_KEY`. */
  id: string;
  area: Area;
  /** The field of the configuration, or the file, that it is about. */
  path?: string;
};

/** Looks at one area. What it throws is a check that failed. */
export type Examine = (patient: DiagnosticsContext) => Promise<Check[]> | Check[];
