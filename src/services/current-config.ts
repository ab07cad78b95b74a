import { parseConfig } from "../config/document.ts";
import { type Checked, checkConfig, type Fault, faultLines } from "../config/faults.ts";
import { ConfigStore } from "../config/store.ts";
import { IsopodError } from "../lib/errors.ts";
import { isJsonObject, type JsonObject } from "../lib/json.ts";
import { type Config, wholeSchema } from "./config-schema.ts";
import { KnownConfiguration } from "./known-config.ts";

/** Where the configuration is: stored in D1, else in a variable. */
export type ConfigurationEnv = Pick<Env, "DB" | "ISOPOD_CONFIG">;

/** Who says what is in force. */
export type ConfigSource = "stored" | "environment" | "defaults";

/** The configuration that holds. */
export interface InForce {
  /** 0 where nothing is stored. */
  revision: number;
  source: ConfigSource;
  config: Config;
}

/** What the variable ISOPOD_CONFIG says. */
export interface FromEnvironment {
  source: "environment" | "defaults";
  /** As it was given; empty where it cannot be read. */
  document: JsonObject;
  checked: Checked<Config>;
}

const known = new WeakMap<D1Database, KnownConfiguration>();
const environments = new WeakMap<ConfigurationEnv, FromEnvironment>();

/** What this isolate knows of the configuration that is stored in a database. */
export function knownConfiguration(database: D1Database): KnownConfiguration {
  const there = known.get(database) ?? new KnownConfiguration(new ConfigStore(database));
  known.set(database, there);
  return there;
}

/** Sees to it that this isolate knows the newest configuration; to be awaited before anything is wired. Never rejects. */
export async function knowConfiguration(env: ConfigurationEnv, now: number, atLeast?: number): Promise<void> {
  await knownConfiguration(env.DB).know(now, atLeast);
}

/** Whether it was possible to find out what is stored. Until then nothing begins that needs it. */
export function isConfigurationKnown(env: ConfigurationEnv): boolean {
  return knownConfiguration(env.DB).stored !== undefined;
}

/**
 * The configuration in force, as far as this isolate knows.
 * @throws IsopodError `unavailable` where it knows nothing yet, `not_configured` where it is not valid
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

/** What holds where nothing is stored. The variable does not change while an isolate lives, and is read once. */
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
