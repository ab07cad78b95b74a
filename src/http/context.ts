import type { Services } from "../services/services.ts";

/** The bindings and variables of every route. */
export interface AppEnv {
  Bindings: Env;
  Variables: {
    /** Absent in routes that come before the configuration is loaded. */
    services: Services;
    /** How the caller was authenticated; absent before `requireLogin`. */
    caller: "token" | "page";
  };
}
