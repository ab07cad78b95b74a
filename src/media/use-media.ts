import { NO_USAGE, type Usage } from "../models/message.ts";
import type { Choice } from "./choose-media.ts";
import { MediaError, type MediaModel } from "./media-model.ts";
import { expectedUse, type MediaUse, usageOf } from "./price.ts";

/** The spending limits of calls that are not those of a language model. */
export interface MediaBudget {
  /**
   * Reserves the likely cost of a call.
   * @param expected without a cost if no price is known
   * @returns a function that replaces the reservation with the real cost
   * @throws Error if a limit leaves too little
   */
  claim(ref: string, expected: Usage): Promise<(spent: Usage) => void>;
}

/**
 * Asks the models in order until one answers, each call within the budget.
 * @param use what a call will use
 * @throws MediaError with the reasons of all, what the budget throws, or the signal's abort reason
 */
export async function askInOrder<Model extends MediaModel, Answer extends { usage: Usage }>(
  { models, lacks }: Choice<Model>,
  ask: (model: Model) => Promise<Answer>,
  use: Omit<MediaUse, "input" | "output">,
  budget: MediaBudget | undefined,
): Promise<Answer> {
  const reasons = [...lacks];
  for (const model of models) {
    const settle = await budget?.claim(model.ref, usageOf(expectedUse(use), model.price));
    let spent = NO_USAGE;
    try {
      const answer = await ask(model);
      spent = answer.usage;
      return answer;
    } catch (error) {
      if (!(error instanceof MediaError)) throw error;
      reasons.push(error.message);
    } finally {
      settle?.(spent);
    }
  }
  throw new MediaError(reasons.join(" "));
}
