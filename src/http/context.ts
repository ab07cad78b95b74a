import type { Wiring } from "../session/wiring.ts";

/** What every route is given. */
export interface AppEnv {
  Bindings: Env;
  Variables: { wiring: Wiring };
}
