import type { ElicitRequestParams, ElicitResult } from "@modelcontextprotocol/client";
import type { JsonObject } from "../lib/json.ts";
import { head } from "../lib/text.ts";
import type { ListedTool } from "./listed-tool.ts";

/** The argument of a server's tool that answers what the server asks in the middle of the call. It is not sent as one. */
const ANSWER = "elicitation_answer";
const MAX_QUESTIONS = 5;
const MAX_MESSAGE_CHARS = 2_000;
const MAX_FIELDS_CHARS = 4_000;

/** Arguments without the answer to what the server asks, and that answer. */
export interface AnsweredArguments {
  args: JsonObject;
  answer?: JsonObject;
}

/** Separates an answer from the arguments of a call. A tool that has a parameter of this name cannot be answered. */
export function answerIn(args: JsonObject, { parameters }: ListedTool): AnsweredArguments {
  const own = (parameters.properties ?? {}) as JsonObject;
  const { [ANSWER]: answer, ...rest } = args;
  if (ANSWER in own || typeof answer !== "object" || answer === null || Array.isArray(answer)) return { args };
  return { args: rest, answer };
}

/**
 * Answers what a server asks during one call: with what a person has allowed, once, else with `cancel`, so that the
 * question can be put to the person after the call.
 */
export class Elicitation {
  /** What was not answered. */
  readonly questions: ElicitRequestParams[] = [];
  readonly #answers = new Map<string | number, ElicitResult>();
  #answer: JsonObject | undefined;

  constructor(answer: JsonObject | undefined) {
    this.#answer = answer;
  }

  /** @param id of the request: over the older transport one may be handled twice */
  answer(asked: ElicitRequestParams, id: string | number): ElicitResult {
    const answer = this.#answers.get(id) ?? this.#decide(asked);
    this.#answers.set(id, answer);
    return answer;
  }

  #decide(asked: ElicitRequestParams): ElicitResult {
    const content = this.#answer;
    this.#answer = undefined;
    if (content !== undefined && asked.mode !== "url") {
      return { action: "accept", content: content as NonNullable<ElicitResult["content"]> };
    }
    if (this.questions.length < MAX_QUESTIONS) this.questions.push(asked);
    return { action: "cancel" };
  }

  /** What the server asked, in its own words; undefined if it has its answer. */
  get unanswered(): string | undefined {
    if (this.questions.length === 0) return undefined;
    return this.questions
      .map(({ message, ...asked }) => {
        const fields =
          "requestedSchema" in asked ? `\nFields: ${JSON.stringify(asked.requestedSchema.properties)}` : "";
        return `The server asks: ${head(message, MAX_MESSAGE_CHARS)}${head(fields, MAX_FIELDS_CHARS)}`;
      })
      .join("\n");
  }
}

/** What a model does about questions of a server. */
export const HOW_TO_ANSWER = `The call was given up, because the server wants to know this from the person. Ask them. Then call the tool again with the same arguments and \`${ANSWER}\`, an object with these fields; it is sent once they have allowed exactly that.`;
