import type { z } from "zod";
import type { Agent } from "../../../src/config/agents.ts";
import { memorySearch } from "../../../src/config/memory-schema.ts";
import { chooseEmbedders, type EmbedderSources } from "../../../src/memory/embed/choose-embedders.ts";
import { type Embedder, EmbedError, type Purpose } from "../../../src/memory/embed/embedder.ts";
import type { OutsideAnswer } from "../../fakes/outside.ts";

/** What a configuration says of a memory. */
export type GivenSettings = z.input<typeof memorySearch>;

/** Settings of a memory with all defaults but those. */
export function settingsWith(given: GivenSettings): Agent["memorySearch"] {
  return memorySearch.parse(given);
}

/** Sources with nothing in them: no key, no binding, and a network that nobody may use. */
export function sourcesWith(given: Partial<EmbedderSources> & { secrets?: Record<string, string> }): EmbedderSources {
  const { secrets = {}, ...others } = given;
  return {
    secret: (name) => secrets[name],
    ai: undefined,
    host: "cloudflare-workers",
    fetch: () => {
      throw new Error("nobody is to be asked");
    },
    now: () => 0,
    cooldowns: new Map(),
    ...others,
  };
}

/** The embedder that settings choose, with the network. */
export function embedderOf(settings: GivenSettings, sources: Parameters<typeof sourcesWith>[0] = {}): Embedder {
  const { primary, why } = chooseEmbedders(settingsWith(settings), sourcesWith({ fetch, ...sources }));
  if (primary === undefined) throw new Error(why);
  return primary;
}

/** What an embedder makes of texts, as plain lists. */
export async function embed(
  embedder: Embedder,
  texts: readonly string[],
  { purpose = "document", signal = new AbortController().signal }: { purpose?: Purpose; signal?: AbortSignal } = {},
): Promise<number[][]> {
  return (await embedder.embed(texts, purpose, signal)).map((vector) => [...vector]);
}

/** What an embedder throws. */
export async function failureOf(work: Promise<unknown>): Promise<EmbedError> {
  const thrown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof EmbedError)) throw new Error(`it did not fail as an embedder does: ${String(thrown)}`);
  return thrown;
}

/** An answer in JSON. */
export function json(body: unknown, answer: Omit<OutsideAnswer, "body"> = {}): OutsideAnswer {
  return { headers: { "content-type": "application/json" }, ...answer, body: JSON.stringify(body) };
}

/** A direction of so many dimensions: all along one of them, and so long. */
export function along(axis: number, dimensions: number, length = 1): number[] {
  return Array.from({ length: dimensions }, (_, at) => (at === axis ? length : 0));
}

/** Numbers as 32 bits each, in base64. */
export function inBase64(numbers: readonly number[]): string {
  return Buffer.from(new Float32Array(numbers).buffer).toString("base64");
}

/** A secret by its name. */
export function key(id: string): { source: "env"; id: string } {
  return { source: "env", id };
}
