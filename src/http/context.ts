import type { Services } from "../services/services.ts";
import type { Scope } from "../services/tokens.ts";

/** The bindings and variables of every route. */
export interface AppEnv {
  Bindings: Env;
  Variables: {
    /** Absent in routes that come before the configuration is loaded. */
    services: Services;
    /** How the caller was authenticated; absent before `requireLogin`. */
    caller: Caller;
  };
}

/** Who calls, once that is known. */
export interface Caller {
  via: "token" | "page";
  /** The token's name; `page` for a browser that logged in with one; whom Cloudflare Access let in. */
  name: string;
  scope: Scope;
  /** The id of a stored token. */
  tokenId?: string;
  /** Where the page ends a login that is not Isopod's own. */
  signOutPath?: string;
}
