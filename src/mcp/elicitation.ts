import type { ElicitRequestParams, ElicitResult } from "@modelcontextprotocol/client";
import { z } from "zod";
import { canonicalJson, isJsonObject, type Json, type JsonObject } from "../lib/json.ts";
import { head } from "../lib/text.ts";
import type { ListedTool } from "./listed-tool.ts";

/** The argument of a server's tool that answers what the server asks in the middle of the call. It is not sent as one. */
const ANSWER = "elicitation_answer";
/** Most characters of an answer as JSON: a person reads all of it. */
const MAX_ANSWER_CHARS = 2_000;
const MAX_QUESTIONS = 5;
const MAX_MESSAGE_CHARS = 2_000;
const MAX_FIELDS_CHARS = 4_000;

/** The fields of a form, as servers may ask for them. */
const answerSchema = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]));

/** Fields of a form, by name. */
export type Answer = z.infer<typeof answerSchema>;

/** Arguments without the answer to what the server asks, and that answer or what is wrong with it. */
export interface AnsweredArguments {
  args: JsonObject;
  answer?: Answer;
  fault?: string;
}

/** Separates an answer from the arguments of a call. A tool that has a parameter of this name cannot be answered. */
export function answerIn(args: JsonObject, tool: ListedTool): AnsweredArguments {
  if (!isAnswerable(tool)) return { args };
  const { [ANSWER]: given = null, ...rest } = args;
  if (given === null) return { args: rest };
  const { data } = answerSchema.safeParse(given);
  if (data === undefined) {
    return {
      args: rest,
      fault: `${ANSWER}: give an object of the fields that the server asks for; each is a text, a number, a boolean or a list of texts.`,
    };
  }
  if (JSON.stringify(data).length <= MAX_ANSWER_CHARS) return { args: rest, answer: data };
  return { args: rest, fault: `${ANSWER}: give at most ${MAX_ANSWER_CHARS} characters of JSON.` };
}

/** Whether a tool can be given an answer: none of its own parameters has that name. */
export function isAnswerable({ parameters: { properties } }: ListedTool): boolean {
  return !(isJsonObject(properties) && Object.hasOwn(properties, ANSWER));
}

/**
 * Answers what a server asks during one call: each question with the fields that it asks for of what a person has allowed,
 * and each field once; else with `cancel`, so that the question can be put to the person after the call.
 */
export class Elicitation {
  /** What was not answered, each once. */
  readonly #questions = new Set<string>();
  readonly #answers = new Map<string | number, ElicitResult>();
  /** What is left of the answer; undefined if there is none, or all was given. */
  #left: Answer | undefined;

  constructor(answer: Answer | undefined) {
    this.#left = answer;
  }

  /** @param id of the request, where one may be handled twice: it gets the same answer again */
  answer(asked: ElicitRequestParams, id?: string | number): ElicitResult {
    const answer = (id === undefined ? undefined : this.#answers.get(id)) ?? this.#decide(asked);
    if (id !== undefined) this.#answers.set(id, answer);
    return answer;
  }

  #decide(asked: ElicitRequestParams): ElicitResult {
    const content = "requestedSchema" in asked ? this.#take(asked.requestedSchema) : undefined;
    if (content !== undefined) return { action: "accept", content };
    this.#questions.add(questionText(asked));
    return { action: "cancel" };
  }

  /** Takes the fields of a form out of the answer; undefined if one that is required is not there, or none is. */
  #take({ properties, required = [] }: Form): Answer | undefined {
    const left = this.#left;
    if (left === undefined) return undefined;
    const isAsked = ([name]: [string, unknown]) => Object.hasOwn(properties, name);
    const taken = Object.fromEntries(Object.entries(left).filter(isAsked));
    const isWhole = required.every((name) => Object.hasOwn(taken, name));
    // An empty answer is to a question that asks for no fields, and for nothing but to go on.
    const isEmpty = Object.keys(left).length === 0 && Object.keys(properties).length === 0;
    if (!isWhole || (Object.keys(taken).length === 0 && !isEmpty)) return undefined;
    const rest = Object.entries(left).filter((field) => !isAsked(field));
    this.#left = rest.length === 0 ? undefined : Object.fromEntries(rest);
    return taken;
  }

  /** What the server asked, in its own words; undefined if it has its answer. */
  get unanswered(): string | undefined {
    const questions = [...this.#questions];
    if (questions.length === 0) return undefined;
    const left = questions.length - MAX_QUESTIONS;
    return [
      ...questions.slice(0, MAX_QUESTIONS),
      ...(left > 0 ? [`[${left} more questions are not shown.]`] : []),
    ].join("\n");
  }
}

type Form = Extract<ElicitRequestParams, { requestedSchema: unknown }>["requestedSchema"];

function questionText(asked: ElicitRequestParams): string {
  const lines = [`The server asks: ${bounded(asked.message, MAX_MESSAGE_CHARS)}`];
  if ("requestedSchema" in asked) {
    const { properties, required = [] } = asked.requestedSchema;
    lines.push(`Fields: ${bounded(canonicalJson(properties as Json), MAX_FIELDS_CHARS)}`);
    if (required.length > 0) lines.push(`Required: ${bounded(JSON.stringify(required), MAX_FIELDS_CHARS)}`);
  }
  return lines.join("\n");
}

function bounded(text: string, max: number): string {
  return text.length <= max ? text : `${head(text, max)}\n[The first ${max} of ${text.length} characters.]`;
}

/** What a model does about questions of a server. */
export const HOW_TO_ANSWER = `The server asked this in the middle of the call, and got no answer. If the call is not done without one, ask the person. Then call the tool again with the same arguments and \`${ANSWER}\`, an object with these fields and those that were answered before; it is sent once they have allowed exactly that.`;

/** The same of a tool that cannot be given an answer. */
export const NO_WAY_TO_ANSWER = `The server asked this in the middle of the call, and got no answer. It cannot be answered: the tool has a parameter named \`${ANSWER}\` of its own. Tell the person, and do not send it what it asks for as an argument.`;
