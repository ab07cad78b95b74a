import { parseConfig } from "../config/document.ts";
import { type Checked, checkConfig, type Fault, faultLines } from "../config/faults.ts";
import { ConfigStore } from "../config/store.ts";
import { IsopodError } from "../lib/errors.ts";
import { isJsonObject, type JsonObject } from "../lib/json.ts";
import { type Config, wholeSchema } from "./config-schema.ts";
import { KnownConfiguration, type KnowOptions } from "./known-config.ts";

/** The bindings of the configuration: D1, or else a variable. */
export type ConfigurationEnv = Pick<Env, "DB" | "ISOPOD_CONFIG">;

/** The source of the configuration in force. */
export type ConfigSource = "stored" | "environment" | "defaults";

/** The configuration in force. */
export interface InForce {
  /** 0 if nothing is stored. */
  revision: number;
  source: ConfigSource;
  config: Config;
}

/** The configuration of the variable ISOPOD_CONFIG. */
export interface FromEnvironment {
  source: "environment" | "defaults";
  /** The document as it was set; empty if it cannot be parsed. */
  document: JsonObject;
  checked: Checked<Config>;
}

const known = new WeakMap<D1Database, KnownConfiguration>();
const environments = new WeakMap<ConfigurationEnv, FromEnvironment>();

/** The isolate's cached configuration of a database. */
export function knownConfiguration(database: D1Database): KnownConfiguration {
  const there = known.get(database) ?? new KnownConfiguration(new ConfigStore(database));
  known.set(database, there);
  return there;
}

/** Refreshes the isolate's configuration if needed; await it before services are created. Never rejects. */
export async function knowConfiguration(env: ConfigurationEnv, now: number, options?: KnowOptions): Promise<void> {
  await knownConfiguration(env.DB).know(now, options);
}

/** Whether the stored configuration was read at least once. Nothing that needs it starts before. */
export function isConfigurationKnown(env: ConfigurationEnv): boolean {
  return knownConfiguration(env.DB).stored !== undefined;
}

/**
 * The configuration in force, as this isolate has read it.
 * @throws IsopodError `unavailable` if it was not read yet, `not_configured` if it is not valid
 */
export function configurationInForce(env: ConfigurationEnv): InForce {
  const { stored } = knownConfiguration(env.DB);
  switch (stored?.kind) {
    case undefined:
      throw new IsopodError("unavailable", "The configuration cannot be read: D1 does not answer.", UNREADABLE);
    case "valid":
      return { revision: stored.revision, source: "stored", config: stored.config };
    case "broken":
      throw notConfigured(stored.faults, "Correct it with PUT /v1/config, or go back to a revision that was valid.");
    case "none": {
      const { source, checked } = fromEnvironment(env);
      if (checked.kind === "invalid") throw notConfigured(checked.faults, CORRECT);
      return { revision: 0, source, config: checked.config };
    }
  }
}

/**
 * The configuration in force, or undefined if it is not valid.
 * @throws IsopodError `unavailable` if it was not read yet
 */
export function configurationIfValid(env: ConfigurationEnv): Config | undefined {
  try {
    return configurationInForce(env).config;
  } catch (error) {
    if (error instanceof IsopodError && error.code === "not_configured") return undefined;
    throw error;
  }
}

/** The configuration if none is stored. The variable is constant while an isolate lives, and is parsed once. */
export function fromEnvironment(env: ConfigurationEnv): FromEnvironment {
  const text = env.ISOPOD_CONFIG ?? "";
  const there = environments.get(env) ?? { source: text.trim() === "" ? "defaults" : "environment", ...readText(text) };
  environments.set(env, there);
  return there;
}

const UNREADABLE = "Try again in a moment. A deployment needs `wrangler d1 migrations apply DB --remote` before it.";
const CORRECT =
  "Correct the variable ISOPOD_CONFIG, or store a configuration with PUT /v1/config; until then nothing runs.";

function readText(text: string): { document: JsonObject; checked: Checked<Config> } {
  try {
    const document = parseConfig(text);
    return { document: isJsonObject(document) ? document : {}, checked: checkConfig(wholeSchema, document) };
  } catch (error) {
    if (!(error instanceof IsopodError)) throw error;
    const faults = [{ path: "(document)", message: error.message }];
    return { document: {}, checked: { kind: "invalid", faults } };
  }
}

function notConfigured(faults: readonly Fault[], fix: string): IsopodError {
  return new IsopodError("not_configured", `The configuration is not valid:\n${faultLines(faults)}`, fix, {
    faults,
  });
}
