import { IsopodError } from "../lib/errors.ts";
import type { Wiring } from "./wiring.ts";

/** The model that a word names, as `provider/model`: itself, or what it is an alias of. Undefined where it is none. */
export function modelNamed(wiring: () => Wiring, word: string): string | undefined {
  try {
    const { config, model } = wiring();
    const aliases = Object.entries(config.agents.defaults.models);
    const [ref = word] = aliases.find(([, { alias }]) => alias?.toLowerCase() === word.toLowerCase()) ?? [];
    return model(ref).ref;
  } catch (error) {
    if (error instanceof IsopodError) return undefined;
    throw error;
  }
}
