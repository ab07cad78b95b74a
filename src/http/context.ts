import type { Services } from "../services/services.ts";

/** What every route is given. */
export interface AppEnv {
  Bindings: Env;
  Variables: {
    /** Absent before the configuration was looked at. */
    services: Services;
    /** By what the caller is known, once that was looked at. */
    caller: "token" | "page";
  };
}
