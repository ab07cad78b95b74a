import type { AnyPlugin } from "./plugin.ts";

/** The plugins that Isopod brings, in the order in which they run where their priorities are equal. */
export const PLUGINS: readonly AnyPlugin[] = [];
