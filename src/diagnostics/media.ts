import { budgetScopes } from "../budgets/budget-caps.ts";
import { agentIds } from "../config/agents.ts";
import type { Choice } from "../media/choose-media.ts";
import type { MediaModel } from "../media/media-model.ts";
import { MEDIA_TASKS, type MediaTask } from "../media/media-tasks.ts";
import type { Services } from "../services/services.ts";
import type { Check } from "./check.ts";
import type { DiagnosticsContext } from "./diagnostics-context.ts";

/** Checks who transcribes, reads aloud and makes pictures: what is missing, and prices where money is capped. */
export function examineMedia({ services }: DiagnosticsContext): Check[] {
  if (services === undefined) return [];
  const isCapped = isMoneyCapped(services);
  return MEDIA_TASKS.flatMap((task) => examineChoice(services.media[task.choice], task, isCapped));
}

function examineChoice(
  { models, lacks }: Choice<MediaModel>,
  { id, tool, does, path, fix }: MediaTask,
  isCapped: boolean,
): Check[] {
  const head = { area: "models", path } as const;
  if (models.length + lacks.length === 0) {
    const message = `There is no ${tool}: nobody ${does}. ${fix}`;
    return [{ ...head, id: `media.${id}`, status: "ok", message }];
  }
  return [
    ...lacks.map((lack, at): Check => {
      const message = `A model that ${does} is left out: ${lack}`;
      return {
        ...head,
        id: `media.${id}.lack.${at}`,
        status: "warn",
        message,
        fix,
      };
    }),
    ...models.map(({ ref, price }): Check => {
      const named = { ...head, id: `media.${id}.${ref}` };
      if (!isCapped || price !== undefined) return { ...named, status: "ok", message: `${ref} ${does}.` };
      const provider = ref.slice(0, ref.indexOf("/"));
      const message = `Money is capped, and ${ref} has no price, so it is not used.`;
      return { ...named, status: "warn", message, fix: `Give it a cost in models.providers.${provider}.models.` };
    }),
  ];
}

function isMoneyCapped({ config }: Services): boolean {
  const scopes = agentIds(config).flatMap((id) => budgetScopes(config, id));
  return scopes.some(({ caps }) => caps.some(({ of }) => of === "micros"));
}
