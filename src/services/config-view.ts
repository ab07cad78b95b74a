import type { Fault } from "../config/faults.ts";
import type { JsonObject } from "../lib/json.ts";
import { newestDocument, reached } from "./change-config.ts";
import type { Config } from "./config-schema.ts";
import { type ConfigSource, type ConfigurationEnv, fromEnvironment, knownConfiguration } from "./current-config.ts";

/** The configuration as people look at it. */
export interface ConfigurationView {
  /** The newest revision, 0 where nothing is stored, and its document as it was given. */
  revision: number;
  source: ConfigSource;
  document: JsonObject;
  /** The revision in force: another one where the newest is not valid, null where none is. */
  inForce: number | null;
  /** What is in force, with its defaults. */
  config: Config | undefined;
  /** What is wrong with the newest one. */
  faults: readonly Fault[];
}

/** Reads the configuration anew. @throws IsopodError `unavailable` where D1 does not answer */
export async function configurationView(env: ConfigurationEnv): Promise<ConfigurationView> {
  const { revision, document } = await newestDocument(env);
  const known = knownConfiguration(env.DB);
  if (known.stored?.newest !== revision) await reached(known.refresh(), "Try again in a moment.");
  const { stored } = known;
  if (revision === 0 || stored === undefined || stored.kind === "none") {
    const { source, checked } = fromEnvironment(env);
    const isValid = checked.kind === "valid";
    return {
      revision: 0,
      source,
      document,
      inForce: isValid ? 0 : null,
      config: isValid ? checked.config : undefined,
      faults: isValid ? [] : checked.faults,
    };
  }
  const inForce = stored.kind === "valid" ? { inForce: stored.revision, config: stored.config } : NOTHING;
  return { revision, source: "stored", document, ...inForce, faults: stored.faults };
}

const NOTHING = { inForce: null, config: undefined };
