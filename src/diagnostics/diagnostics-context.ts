import type { ConfigurationView } from "../services/config-view.ts";
import type { Services } from "../services/services.ts";

/** The deployment that is looked at. Nothing in here is changed by looking. */
export interface DiagnosticsContext {
  env: Env;
  /** Where it was asked, such as `https://isopod.example.com`. */
  origin: string;
  /** Milliseconds since the epoch. */
  now: number;
  /** The value of a variable or secret. */
  secret(name: string): string | undefined;
  configuration: ConfigurationView;
  /** Absent where the configuration is not valid: what needs it is not looked at then. */
  services: Services | undefined;
}
