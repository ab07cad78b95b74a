import { budgetScopes } from "../budgets/budget-caps.ts";
import { type Agent, agentIds, agentOf, imageModels, modelAliases, resolveAlias } from "../config/agents.ts";
import { IsopodError } from "../lib/errors.ts";
import type { Candidate } from "../models/candidates.ts";
import { isLocalServer } from "../models/local-server.ts";
import type { ModelAccess } from "../models/model.ts";
import { OFFLINE_REF } from "../models/offline.ts";
import { providerIn } from "../models/profiles.ts";
import { lookUpModel, modelTakes } from "../services/model-lookup.ts";
import type { Services } from "../services/services.ts";
import type { Check } from "./check.ts";
import type { DiagnosticsContext } from "./diagnostics-context.ts";

/** Checks every configured model: a known provider, a key that is set, and a price where money is capped. */
export function examineModels({ services }: DiagnosticsContext): Check[] {
  if (services === undefined) return [];
  const agents = agentIds(services.config).map((id) => agentOf(services.config, id));
  const checks = [
    ...agents.flatMap((agent) => examineAgent(services, agent)),
    ...examineOthers(services, agents),
    ...examineInputs(services),
  ];
  return [...new Map(checks.map((check) => [check.id, check])).values()];
}

function examineAgent(services: Services, agent: Agent): Check[] {
  const ref = services.modelRefOf(agent);
  const first = examineModel(services, ref, {
    id: `models.${agent.id}`,
    by: `The agent '${agent.id}' answers with`,
    isRequired: true,
  });
  const fallbacks = agent.fallbacks.map((fallback) =>
    examineModel(services, fallback, {
      id: `models.${agent.id}.${fallback}`,
      by: `The agent '${agent.id}' falls back on`,
      isRequired: false,
    }),
  );
  return [...first, ...fallbacks.flat(), ...examinePrices(services, agent, [ref, ...agent.fallbacks])];
}

/** Checks the models of summaries, sub-agents and aliases. */
function examineOthers(services: Services, agents: readonly Agent[]): Check[] {
  const { config } = services;
  const { compaction } = config.agents.defaults;
  const named = [
    ...(compaction.model === undefined ? [] : [{ ref: compaction.model, by: "Summaries are written by" }]),
    ...agents.flatMap(({ subagents }) =>
      subagents.model === undefined ? [] : [{ ref: subagents.model, by: "Sub-agents answer with" }],
    ),
    ...imageModels(config).map((ref) => ({ ref, by: "Pictures are looked at by" })),
    ...modelAliases(config).map(({ alias, model }) => ({ ref: model, by: `'${alias}' stands for` })),
  ];
  return named.flatMap(({ ref, by }) => {
    const model = resolveAlias(config, ref);
    return examineModel(services, model, { id: `models.named.${model}`, by, isRequired: false });
  });
}

function examineModel(
  services: Services,
  ref: string,
  { id, by, isRequired }: { id: string; by: string; isRequired: boolean },
): Check[] {
  const head = { id, area: "models" } as const;
  let candidates: readonly Candidate[];
  try {
    candidates = services.candidates([ref]);
  } catch (error) {
    if (!(error instanceof IsopodError)) throw error;
    const status = isRequired ? "fail" : "warn";
    const fix = error.hint ?? "Name another model.";
    return [{ ...head, status, message: `${by} ${ref}, but ${error.message}.`, fix }];
  }
  if (ref === OFFLINE_REF && isRequired) {
    const message = `${by} the built-in offline model, which answers by fixed rules.`;
    return [{ ...head, status: "warn", message, fix: "Set OPENAI_API_KEY or ANTHROPIC_API_KEY, or ISOPOD_MODEL." }];
  }
  const keyless = candidates
    .map(({ model }) => model.access)
    .find((access) => access !== undefined && lacksKey(access));
  if (keyless !== undefined) {
    const { baseUrl, keyName } = keyless;
    const provider = providerIn(ref);
    const unset = keyName === undefined ? "" : `: ${keyName} is not set`;
    const message = `${by} ${ref}, and no key is sent to ${baseUrl}${unset}.`;
    const fix = `Set ${keyName ?? `a key, and name it in models.providers.${provider}.apiKey`}, if the server wants one.`;
    return [{ ...head, status: "warn", message, fix, path: `models.providers.${provider}.apiKey` }];
  }
  return [{ ...head, status: "ok", message: `${by} ${ref}.` }];
}

/** Whether requests carry no key where one is named, or the server is not one of the owner's own. */
function lacksKey({ baseUrl, keyName, isKeySent }: ModelAccess): boolean {
  return !isKeySent && (keyName !== undefined || !isLocalServer(baseUrl));
}

/** Where money is capped, a model without a price is never called. */
function examinePrices(services: Services, agent: Agent, refs: readonly string[]): Check[] {
  const isCapped = budgetScopes(services.config, agent.id).some(({ caps }) => caps.some(({ of }) => of === "micros"));
  if (!isCapped) return [];
  return refs
    .filter((ref) => hasNoPrice(services, ref))
    .map((ref) => ({
      id: `models.price.${ref}`,
      area: "models",
      status: "fail",
      message: `Money is capped, and ${ref} has no price, so it is not used.`,
      fix: `Give it a cost in models.providers.${ref.split("/")[0]}.models.`,
      path: `models.providers.${ref.split("/")[0]}.models`,
    }));
}

/** What a model is said to take, and requests to it do not carry. */
function examineInputs(services: Services): Check[] {
  return Object.entries(services.config.models.providers).flatMap(([provider, { models }]) =>
    models.flatMap(({ id, input = [] }): Check[] => {
      const ref = `${provider}/${id}`;
      const lost = input.filter((kind) => kind !== "text" && !modelTakes(ref, kind, services));
      if (lost.length === 0 || !isAvailable(services, ref)) return [];
      const message = `${ref} is said to take ${lost.join(" and ")}, which its wire format does not carry.`;
      const fix = "Take it out of its input, or use openai-completions if its server has that.";
      const path = `models.providers.${provider}.models`;
      return [{ id: `models.input.${ref}`, area: "models", status: "warn", message, fix, path }];
    }),
  );
}

function isAvailable(services: Services, ref: string): boolean {
  return lookUpModel(() => services, ref).kind === "model";
}

function hasNoPrice(services: Services, ref: string): boolean {
  try {
    return services.model(ref).price === undefined;
  } catch (error) {
    // A model that cannot be used is a check of its own.
    if (error instanceof IsopodError) return false;
    throw error;
  }
}
