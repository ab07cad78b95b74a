import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { type ConfigurationView, configurationView } from "../services/config-view.ts";
import { createServices, variable } from "../services/create-services.ts";
import { knowConfiguration } from "../services/current-config.ts";
import type { Services } from "../services/services.ts";
import type { DiagnosticsContext } from "./diagnostics-context.ts";

/**
 * Opens what there is to be looked at, however much of it is broken. Never rejects for what is wrong with a deployment.
 * @param origin where it was asked
 */
export async function openDiagnostics(
  env: Env,
  origin: string,
  waitUntil: (promise: Promise<unknown>) => void,
): Promise<DiagnosticsContext> {
  const now = Date.now();
  return {
    env,
    origin,
    now,
    secret: (name) => variable(env, name),
    configuration: await viewOf(env),
    services: await wired(env, now, waitUntil),
  };
}

/** Where D1 does not answer nothing is known, and that is the fault. */
async function viewOf(env: Env): Promise<ConfigurationView> {
  try {
    return await configurationView(env);
  } catch (error) {
    const faults = [{ path: "(document)", message: `It cannot be read: ${messageOf(error)}` }];
    return { revision: 0, source: "stored", document: {}, inForce: null, config: undefined, faults };
  }
}

/** Whatever it is that cannot be opened, the areas say it. */
async function wired(
  env: Env,
  now: number,
  waitUntil: Parameters<typeof createServices>[1],
): Promise<Services | undefined> {
  try {
    await knowConfiguration(env, now);
    return createServices(env, waitUntil);
  } catch (error) {
    log("warn", "doctor.not_wired", { error: messageOf(error) });
    return undefined;
  }
}
