import { commandLogger } from "./command-logger.ts";
import type { AnyPlugin } from "./plugin.ts";
import { sessionMemory } from "./session-memory.ts";

/** The plugins that Isopod brings, in the order in which they run where their priorities are equal. */
export const PLUGINS: readonly AnyPlugin[] = [sessionMemory, commandLogger];
