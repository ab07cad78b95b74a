import type { Fault } from "../config/faults.ts";
import type { JsonObject } from "../lib/json.ts";
import { newestDocument, reached } from "./change-config.ts";
import type { Config } from "./config-schema.ts";
import { type ConfigSource, type ConfigurationEnv, fromEnvironment, knownConfiguration } from "./current-config.ts";

/** The configuration as the API and the page show it. */
export interface ConfigurationView {
  /** The newest revision, 0 if none is stored, and its document as it was stored. */
  revision: number;
  source: ConfigSource;
  document: JsonObject;
  /** The revision in force: an older one if the newest is not valid, null if none is. */
  inForce: number | null;
  /** The configuration in force, with defaults. */
  config: Config | undefined;
  /** The faults of the newest revision. */
  faults: readonly Fault[];
}

/** Reads the configuration from D1. @throws IsopodError `unavailable` if D1 does not answer */
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
