import { type Agent, resolveAlias } from "../config/agents.ts";
import { IsopodError, messageOf } from "../lib/errors.ts";
import type { InputKind } from "../models/input-kinds.ts";
import type { Config, Services } from "./services.ts";

/** A model that can be chosen by name. */
export interface NamedModel {
  /** `provider/model`. */
  ref: string;
  alias?: string;
}

/** The model that a word names, or why there is none. */
export type ModelLookup =
  | { kind: "model"; ref: string; contextWindow: number; tagsReasoning: boolean }
  | { kind: "none"; problem: string };

/** The model of a session: the chosen one, else its agent's own. */
export function sessionModel(settings: { model?: string }, agent: Agent, services: Services): string {
  return settings.model ?? services.modelRefOf(agent);
}

/** Whether a model is known to take a kind of input; false for one that is not available. */
export function modelTakes(ref: string, kind: InputKind, services: Pick<Services, "model">): boolean {
  try {
    return services.model(ref).input?.includes(kind) === true;
  } catch (error) {
    // Where a turn asks the model, the reason is shown.
    if (error instanceof IsopodError) return false;
    throw error;
  }
}

/** Looks a model up by `provider/model` or by its alias, ignoring the alias's case; the model found is available. */
export function lookUpModel(services: () => Services, word: string): ModelLookup {
  try {
    const { config, model } = services();
    const found = model(resolveAlias(config, word));
    const { ref, contextWindow, tagsReasoning = false } = found;
    return { kind: "model", ref, contextWindow, tagsReasoning };
  } catch (error) {
    if (!(error instanceof IsopodError)) throw error;
    const hint = error.hint === undefined ? "" : ` ${error.hint}`;
    return { kind: "none", problem: `${messageOf(error)}.${hint}` };
  }
}

/** The models that the configuration names: those of an agent, those with an alias, and those of the providers. */
export function namedModels(services: Services, agent: Agent): NamedModel[] {
  const { config } = services;
  const named = new Map(aliased(config).map((model) => [model.ref, model]));
  const own = services.modelRefOf(agent);
  const ofProviders = Object.entries(config.models.providers).flatMap(([name, { models }]) =>
    models.map(({ id }) => `${name}/${id}`),
  );
  return [...new Set([own, ...agent.fallbacks, ...named.keys(), ...ofProviders])].map(
    (ref) => named.get(ref) ?? { ref },
  );
}

function aliased(config: Config): NamedModel[] {
  return Object.entries(config.agents.defaults.models).map(([ref, { alias }]) => ({
    ref,
    ...(alias !== undefined && { alias }),
  }));
}
