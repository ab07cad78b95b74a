import { SELF } from "cloudflare:test";
import OpenAI, { type ClientOptions } from "openai";

/** The official client, against the Worker under test. It never asks again by itself unless it is told to. */
export function openai(options: ClientOptions = {}): OpenAI {
  return new OpenAI({
    apiKey: "test-token",
    baseURL: "https://isopod.test/v1",
    fetch: (input, init) => SELF.fetch(input as string, init as RequestInit),
    maxRetries: 0,
    ...options,
  });
}

/** The error with which a request is refused. */
export async function refusal(promise: Promise<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> {
  return promise.then(
    () => {
      throw new Error("It was not refused.");
    },
    (error) => error,
  );
}
