import type { ConfigurationView } from "../services/config-view.ts";
import type { Services } from "../services/services.ts";

/** The Worker's bindings that are checked, and where it runs; no secrets. */
export type DiagnosticsBindings = Pick<
  Env,
  | "FILES"
  | "DB"
  | "SESSIONS"
  | "LANES"
  | "BUDGETS"
  | "DISCORD_GATEWAYS"
  | "SCHEDULE"
  | "UPKEEP"
  | "MEMORY"
  | "INDEXING"
  | "VECTORS"
  | "AI"
  | "ISOPOD_HOST"
>;

/** The deployment that is checked. Checks change nothing in it. */
export interface DiagnosticsContext {
  bindings: DiagnosticsBindings;
  /** The deployment's own address, such as `https://isopod.example.com`. */
  origin: string;
  /** Milliseconds since the epoch. */
  now: number;
  /** The value of a variable or secret. */
  secret(name: string): string | undefined;
  configuration: ConfigurationView;
  /** Absent where the configuration is not valid: checks that need it are skipped then. */
  services: Services | undefined;
}
