import { describe, expect, test } from "vitest";
import { within } from "../../../src/lib/deadline.ts";
import type { OutsideAnswer } from "../../fakes/outside.ts";
import { at, heard, serve } from "../../security/outside-lab.ts";
import { along, embed, embedderOf, failureOf, type GivenSettings, inBase64, json, key } from "./provider-lab.ts";

/** A provider: its settings, its path and its answers. */
interface Provider {
  settings: GivenSettings & { outputDimensionality: number };
  path: string;
  answer(vectors: unknown[]): unknown;
}

const SECRETS = { OWN_KEY: "sk-own-0123456789", PROJECT: "p-77" };

function provider(id: "openai" | "gemini" | "voyage", place: string): Provider {
  const remote = {
    baseUrl: at(place, "api/"),
    apiKey: key("OWN_KEY"),
    headers: { "X-Project": key("PROJECT"), "x-plain": "yes" },
  };
  if (id !== "gemini") {
    const answer = (vectors: unknown[]) => ({ data: vectors.map((embedding, index) => ({ index, embedding })) });
    return { settings: { provider: id, remote, outputDimensionality: 4 }, path: "api/embeddings", answer };
  }
  return {
    settings: { provider: id, remote, outputDimensionality: 4 },
    path: "api/models/gemini-embedding-001:batchEmbedContents",
    answer: (vectors) => ({ embeddings: vectors.map((values) => ({ values })) }),
  };
}

const NAMES = { openai: /^The embedding server \(127\.0\.0\.1:\d+\) /, gemini: /^Gemini /, voyage: /^Voyage / };

describe.each(["openai", "gemini", "voyage"] as const)("embeddings of %s", (id) => {
  const place = (name: string) => `embed-${id}-${name}`;
  async function asked(name: string, answer: OutsideAnswer | ((of: Provider) => OutsideAnswer)) {
    const of = provider(id, place(name));
    await serve(place(name), { [of.path]: typeof answer === "function" ? answer(of) : answer });
    return embedderOf(of.settings, { secrets: SECRETS });
  }

  test("come in the order of the texts, with length 1, as numbers and in base64", async () => {
    const vectors = [along(2, 4, 0.25), inBase64(along(0, 4, 7)), along(3, 4)];
    const embedder = await asked("order", ({ answer }) => json(answer(vectors)));
    expect(await embed(embedder, ["a", "b", "c"])).toEqual([along(2, 4), along(0, 4), along(3, 4)]);
  });

  test("are requested with the configured key and headers", async () => {
    const embedder = await asked("headers", ({ answer }) => json(answer([along(0, 4)])));
    await embed(embedder, ["a"]);
    const [request] = await heard(place("headers"));
    expect(request).toMatchObject({ method: "POST", path: provider(id, "").path });
    expect(request?.headers).toMatchObject({
      "content-type": "application/json",
      "x-project": "p-77",
      "x-plain": "yes",
    });
    const sent = id === "gemini" ? request?.headers["x-goog-api-key"] : request?.headers.authorization;
    expect(sent).toBe(id === "gemini" ? SECRETS.OWN_KEY : `Bearer ${SECRETS.OWN_KEY}`);
    expect(request?.path).not.toContain(SECRETS.OWN_KEY);
  });

  test.each([
    ["a key that is refused", 401, "auth", { error: { message: "Incorrect API key: sk-own-0123456789" } }],
    ["an account without money", 402, "auth", { error: { message: "Your credit balance is too low" } }],
    ["too many requests", 429, "rate_limit", { error: { code: "rate_limit_exceeded", message: "Slow down" } }],
    ["a server that fails", 500, "unavailable", { error: { message: "The server had an error" } }],
    ["a server that is too busy", 503, "unavailable", { detail: "overloaded" }],
    ["a model that is not there", 404, "unavailable", { error: { code: "model_not_found", message: "No such model" } }],
    ["a text that is too long", 400, "rejected", { error: { message: "maximum context length is 8192 tokens" } }],
    ["a text that is refused", 400, "rejected", { error: { message: "Invalid value in 'my secret note'" } }],
    ["a redirect", 302, "unavailable", {}],
  ])("fail on %s with a message that has neither the key nor the text", async (name, status, kind, body) => {
    const embedder = await asked(`status-${status}-${name.length}`, json(body, { status, headers: { location: "/" } }));
    const error = await failureOf(embed(embedder, ["my secret note"]));
    expect(error.kind).toBe(kind);
    expect(error.message).toMatch(NAMES[id]);
    expect(error.message).toContain(String(status));
    expect(error.message).not.toMatch(/sk-own|secret note/);
  });

  test("fail with the delay that the provider asks for", async () => {
    const embedder = await asked("later", json({}, { status: 429, headers: { "retry-after": "7" } }));
    expect(await failureOf(embed(embedder, ["a"]))).toMatchObject({ kind: "rate_limit", retryAfterMs: 7000 });
  });

  test.each(["head", "body"] as const)("time out if the %s never ends", async (hang) => {
    const embedder = await asked(`hang-${hang}`, { hang });
    const error = await failureOf(within(100, (signal) => embed(embedder, ["a"], { signal })));
    expect(error).toMatchObject({ kind: "timeout", message: expect.stringContaining("did not answer in time") });
  });

  test("are unavailable if no server listens", async () => {
    const settings = { ...provider(id, "").settings, remote: { baseUrl: "http://127.0.0.1:1" } };
    expect(await failureOf(embed(embedderOf(settings), ["a"]))).toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining("could not be reached at 127.0.0.1:1"),
    });
  });

  test.each<[string, (of: Provider) => OutsideAnswer, RegExp]>([
    ["is not JSON", () => ({ body: "<html>" }), /not JSON/],
    ["is JSON of another kind", () => json(["a"]), /without vectors/],
    ["has too few vectors", ({ answer }) => json(answer([along(0, 4)])), /1 vectors for 2 texts/],
    ["has too many", ({ answer }) => json(answer([1, 2, 3].map(() => along(0, 4)))), /3 vectors for 2 texts/],
    ["has shorter ones", ({ answer }) => json(answer([along(0, 3), along(0, 3)])), /outputDimensionality to 3/],
    ["has no numbers", ({ answer }) => json(answer([["a", 0, 0, 0], along(0, 4)])), /without a direction/],
    ["has nothing but zeros", ({ answer }) => json(answer([along(9, 4), along(0, 4)])), /without a direction/],
    ["has words for vectors", ({ answer }) => json(answer(["?", along(0, 4)])), /not a vector/],
    ["never stops", () => ({ bytes: 25_000_000 }), /more than was asked for/],
  ])("are unavailable if the answer %s", async (name, answer, said) => {
    const embedder = await asked(name.replaceAll(" ", "-"), answer);
    const error = await failureOf(embed(embedder, ["a", "b"]));
    expect(error).toMatchObject({ kind: "unavailable", message: expect.stringMatching(said) });
  });
});

describe("requests to providers", () => {
  /** The body of a request for two texts. */
  async function bodyOf(place: string, of: Provider, purpose: "document" | "query" = "document"): Promise<unknown> {
    const dimensions = of.settings.outputDimensionality;
    await serve(place, { [of.path]: json(of.answer([along(0, dimensions), along(1, dimensions)])) });
    await embed(embedderOf(of.settings, { secrets: SECRETS }), ["one", "two"], { purpose });
    return JSON.parse((await heard(place)).at(-1)?.body ?? "");
  }

  test("OpenAI: a model with 1,024 dimensions; compatible servers get no unknown fields", async () => {
    const of = provider("openai", "embed-asked-openai");
    expect(await bodyOf("embed-asked-openai", of)).toEqual({
      model: "text-embedding-3-small",
      input: ["one", "two"],
      dimensions: 4,
    });
    const other = { ...of, settings: { ...of.settings, model: "nomic-embed-text:latest", outputDimensionality: 768 } };
    expect(await bodyOf("embed-asked-openai", other)).toEqual({
      model: "nomic-embed-text:latest",
      input: ["one", "two"],
    });
  });

  test("OpenAI itself: numbers in base64", async () => {
    const requests: Request[] = [];
    const network = async (url: string, init: RequestInit) => {
      requests.push(new Request(url, init));
      return Response.json({ data: [{ index: 0, embedding: inBase64(along(5, 1024)) }] });
    };
    const embedder = embedderOf(
      { provider: "openai" },
      { secrets: { OPENAI_API_KEY: "sk-chat" }, fetch: network as typeof fetch },
    );
    expect(await embed(embedder, ["one"])).toEqual([along(5, 1024)]);
    expect(requests[0]?.url).toBe("https://api.openai.com/v1/embeddings");
    expect(requests[0]?.headers.get("authorization")).toBe("Bearer sk-chat");
    expect(await requests[0]?.json()).toEqual({
      model: "text-embedding-3-small",
      input: ["one"],
      dimensions: 1024,
      encoding_format: "base64",
    });
  });

  test("OpenAI: vectors are sorted by their index", async () => {
    const of = provider("openai", "embed-shuffled");
    const data = [1, 0].map((index) => ({ index, embedding: along(index, 4) }));
    await serve("embed-shuffled", { [of.path]: json({ data }) });
    const embedder = embedderOf(of.settings, { secrets: SECRETS });
    expect(await embed(embedder, ["zero", "one"])).toEqual([along(0, 4), along(1, 4)]);
    await serve("embed-shuffled", { [of.path]: json({ data: data.map((one) => ({ ...one, index: 1 })) }) });
    expect(await failureOf(embed(embedder, ["zero", "one"]))).toMatchObject({ kind: "unavailable" });
  });

  test("Voyage: the input type and 1,024 dimensions, but no dimensions for models with a fixed size", async () => {
    const of = provider("voyage", "embed-asked-voyage");
    expect(await bodyOf("embed-asked-voyage", of, "query")).toEqual({
      model: "voyage-3.5",
      input: ["one", "two"],
      input_type: "query",
      truncation: true,
      output_dimension: 4,
    });
    const law = { ...of, settings: { ...of.settings, model: "voyage-law-2", outputDimensionality: 1024 } };
    expect(await bodyOf("embed-asked-voyage", law)).toEqual({
      model: "voyage-law-2",
      input: ["one", "two"],
      input_type: "document",
      truncation: true,
    });
  });

  test("Gemini: a request for each text with its task type, or a prefix for models of the second generation", async () => {
    const of = provider("gemini", "embed-asked-gemini");
    const one = (text: string) => ({
      model: "models/gemini-embedding-001",
      content: { parts: [{ text }] },
      taskType: "RETRIEVAL_DOCUMENT",
      outputDimensionality: 4,
    });
    expect(await bodyOf("embed-asked-gemini", of)).toEqual({ requests: [one("one"), one("two")] });
    const second = {
      ...of,
      path: "api/models/gemini-embedding-2:batchEmbedContents",
      settings: { ...of.settings, model: "models/gemini-embedding-2" },
    };
    expect(await bodyOf("embed-asked-gemini", second, "query")).toMatchObject({
      requests: [
        { model: "models/gemini-embedding-2", content: { parts: [{ text: "task: search result | query: one" }] } },
        { content: { parts: [{ text: "task: search result | query: two" }] } },
      ],
    });
  });

  test("a text that is too long for the model is cut, in any script", async () => {
    const of = provider("gemini", "embed-long");
    const texts = ["word ".repeat(50_000), "字".repeat(50_000), "short"];
    await serve("embed-long", { [of.path]: json(of.answer(texts.map((_, axis) => along(axis, 4)))) });
    await embed(embedderOf(of.settings, { secrets: SECRETS }), texts);
    const { requests } = JSON.parse((await heard("embed-long"))[0]?.body ?? "");
    const sent: string[] = requests.map(
      (request: { content: { parts: { text: string }[] } }) => request.content.parts[0]?.text,
    );
    expect(sent[0]?.length).toBeLessThan(9_000);
    expect(sent[0]?.length).toBeGreaterThan(5_000);
    expect(sent[1]?.length).toBeLessThan(2_048);
    expect(sent[2]).toBe("short");
  });
});
