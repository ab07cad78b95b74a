import type { Wiring } from "../services/services.ts";

/** What every route is given. */
export interface AppEnv {
  Bindings: Env;
  Variables: {
    /** Absent before the configuration was looked at. */
    wiring: Wiring;
    /** By what the caller is known, once that was looked at. */
    caller: "token" | "page";
  };
}
