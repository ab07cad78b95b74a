import type { z } from "zod";
import type { Agent } from "../../../src/config/agents.ts";
import { memorySearch } from "../../../src/config/memory-schema.ts";
import { chooseEmbedders, type EmbedderSources } from "../../../src/memory/embed/choose-embedders.ts";
import { type Embedder, EmbedError, type Purpose } from "../../../src/memory/embed/embedder.ts";
import type { OutsideAnswer } from "../../fakes/outside.ts";

/** Settings of a memory as they are configured. */
export type GivenSettings = z.input<typeof memorySearch>;

/** Settings with defaults for all others. */
export function settingsWith(given: GivenSettings): Agent["memorySearch"] {
  return memorySearch.parse(given);
}

/** Dependencies without keys and bindings, and with a network that fails. */
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

/** The embedder that settings choose, with the real network. */
export function embedderOf(settings: GivenSettings, sources: Parameters<typeof sourcesWith>[0] = {}): Embedder {
  const { primary, why } = chooseEmbedders(settingsWith(settings), sourcesWith({ fetch, ...sources }));
  if (primary === undefined) throw new Error(why);
  return primary;
}

/** The vectors of texts as plain lists. */
export async function embed(
  embedder: Embedder,
  texts: readonly string[],
  { purpose = "document", signal = new AbortController().signal }: { purpose?: Purpose; signal?: AbortSignal } = {},
): Promise<number[][]> {
  return (await embedder.embed(texts, purpose, signal)).map((vector) => [...vector]);
}

/** The error of an embedder. */
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

/** A vector along one dimension with a given length. */
export function along(axis: number, dimensions: number, length = 1): number[] {
  return Array.from({ length: dimensions }, (_, at) => (at === axis ? length : 0));
}

/** 32-bit floats in base64. */
export function inBase64(numbers: readonly number[]): string {
  return Buffer.from(new Float32Array(numbers).buffer).toString("base64");
}

/** A secret by its name. */
export function key(id: string): { source: "env"; id: string } {
  return { source: "env", id };
}
