import { budgetScopes } from "../budgets/budget-caps.ts";
import { agentIds } from "../config/agents.ts";
import type { Choice } from "../media/choose-media.ts";
import type { MediaModel } from "../media/media-model.ts";
import type { Services } from "../services/services.ts";
import type { Check } from "./check.ts";
import type { DiagnosticsContext } from "./diagnostics-context.ts";

/** What a choice of models is for, and the field that sets it. */
interface Use {
  id: string;
  does: string;
  path: string;
}

const TRANSCRIPTION: Use = { id: "audio", does: "transcribes recordings", path: "tools.media.audio.models" };
const SPEECH: Use = { id: "speech", does: "reads replies aloud", path: "messages.tts.provider" };
const PICTURES: Use = { id: "pictures", does: "makes pictures", path: "agents.defaults.imageGenerationModel" };

/** Checks who transcribes, reads aloud and makes pictures: what is missing, and prices where money is capped. */
export function examineMedia({ services }: DiagnosticsContext): Check[] {
  if (services === undefined) return [];
  const { transcribers, speakers, imageGenerators } = services.media;
  const isCapped = isMoneyCapped(services);
  return [
    ...examineChoice(transcribers, TRANSCRIPTION, isCapped),
    ...examineChoice(speakers, SPEECH, isCapped),
    ...examineChoice(imageGenerators, PICTURES, isCapped),
  ];
}

function examineChoice({ models, lacks }: Choice<MediaModel>, { id, does, path }: Use, isCapped: boolean): Check[] {
  const head = { area: "models", path } as const;
  return [
    ...lacks.map((lack, at): Check => {
      const message = `A model that ${does} is left out: ${lack}`;
      return {
        ...head,
        id: `media.${id}.lack.${at}`,
        status: "warn",
        message,
        fix: `Name a model that is there in ${path}.`,
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
