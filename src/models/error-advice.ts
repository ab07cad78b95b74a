import type { ModelError } from "./message.ts";
import type { Model } from "./model.ts";
import { providerIn } from "./profiles.ts";

const OTHER_MODEL = "choose another model with /model";

/**
 * A model's error in words for people: which provider, what is wrong in its own words, and what to do about it.
 * @param model that failed
 */
export function explained(error: ModelError, model: Pick<Model, "ref" | "access">): ModelError {
  // The text is ours already: a reply that our own side stopped.
  if (error.isFinal) return error;
  const words = [failureText(error, model), whatToDo(error, model)];
  return { ...error, message: words.filter((part) => part !== "").join(" ") };
}

/** Which provider failed, and what is wrong in its own words. */
export function failureText(error: ModelError, model: Pick<Model, "ref" | "access">): string {
  return `${whatIsWrong(error, model)}: ${sentence(error.message)}`;
}

function whatIsWrong({ kind, status }: ModelError, { ref, access }: Pick<Model, "ref" | "access">): string {
  const provider = providerIn(ref);
  const key = access?.keyName === undefined ? "its key" : `the key in ${access.keyName}`;
  switch (kind) {
    case "auth":
      return access?.isKeySent === false ? `${provider} was asked without a key` : `${provider} refuses ${key}`;
    case "billing":
      return `${provider} has no credit left for ${key}`;
    case "rate_limit":
      return `${provider} limits how often it may be asked`;
    case "overloaded":
      return `${provider} has too much to do`;
    case "timeout":
      return `${provider} gave no whole answer`;
    case "overflow":
      return `${provider} refuses the request for its length`;
    case "format":
      return `${provider} does not take the request`;
    case "other":
      return status === 404 ? `${provider} does not have ${ref}` : `${provider} failed`;
  }
}

function whatToDo({ kind, status, retryAfterMs }: ModelError, { ref, access }: Pick<Model, "ref" | "access">): string {
  const place = access?.keyName ?? `a variable, and name it in models.providers.${providerIn(ref)}.apiKey`;
  switch (kind) {
    case "auth":
      return `Put a valid key into ${place}, or ${OTHER_MODEL}; then /retry.`;
    case "billing":
      return `Add credit there, or ${OTHER_MODEL}; then /retry.`;
    case "rate_limit":
      return `Use /retry ${soon(retryAfterMs)}, or ${OTHER_MODEL}.`;
    case "overflow":
      return "";
    case "format":
      return `If it stays so after /retry, ${OTHER_MODEL}.`;
    case "other":
      return status === 404 ? `Check its name and address, or ${OTHER_MODEL}.` : `Use /retry, or ${OTHER_MODEL}.`;
    default:
      return `It was asked again without success. Use /retry, or ${OTHER_MODEL}.`;
  }
}

function soon(ms: number | undefined): string {
  if (ms === undefined) return "in a minute";
  const seconds = Math.ceil(ms / 1000);
  return seconds < 120 ? `in ${Math.max(1, seconds)} s` : `in ${Math.ceil(seconds / 60)} minutes`;
}

function sentence(text: string): string {
  const told = text.trim();
  return /[.!?。！？)]$/.test(told) ? told : `${told}.`;
}
