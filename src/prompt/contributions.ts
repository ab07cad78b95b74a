import { gpt5 } from "./contributions/gpt-5.ts";
import type { ProviderContribution } from "./input.ts";

/** The families of models that are told something in their own way, by their names without the provider. */
const FAMILIES: readonly (readonly [RegExp, ProviderContribution])[] = [[/(?:^|[/.])gpt-?[5-9](?![0-9])/i, gpt5]];

/**
 * What the provider of a model says in place of, and around, our own sections.
 * @param ref `provider/model`; resellers' names, such as `openrouter/openai/gpt-5.5` and `bedrock/openai.gpt-5`, and those
 * that deployments have, such as `azure/gpt5-mini`, count as well
 */
export function contributionFor(ref: string): ProviderContribution {
  return FAMILIES.find(([family]) => family.test(ref))?.[1] ?? {};
}
