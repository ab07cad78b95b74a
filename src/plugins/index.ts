import { commandLogger } from "./command-logger.ts";
import type { AnyPlugin } from "./plugin.ts";
import { sessionMemory } from "./session-memory.ts";

/** The built-in plugins, in the order in which they run among equal priorities. */
export const PLUGINS: readonly AnyPlugin[] = [sessionMemory, commandLogger];
