import { describe, expect, test } from "vitest";
import { localEmbedder } from "../../../src/memory/embed/local.ts";
import { embed } from "./provider-lab.ts";

const local = localEmbedder();

async function vectorOf(text: string): Promise<number[]> {
  return (await embed(local, [text]))[0] ?? [];
}

/** The cosine of two texts. */
async function near(one: string, other: string): Promise<number> {
  const [a, b] = [await vectorOf(one), await vectorOf(other)];
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
}

describe("the local embedder", () => {
  test("gives the same vector on every machine and in every version", async () => {
    const vector = await vectorOf("Vaccinate the cats at Dr. O'Brien's on 3rd May. 明天下午三点开会。 🐈 parseHTML");
    const nonzero = vector.flatMap((value, at) => (Math.abs(value) < 1e-6 ? [] : [`${at} ${value.toFixed(4)}`]));
    expect(vector).toHaveLength(512);
    expect(nonzero.join(", ")).toMatchInlineSnapshot(
      `"0 -0.0246, 11 -0.1844, 24 0.0369, 34 0.2213, 35 0.1844, 36 -0.1844, 58 -0.0138, 59 -0.0246, 62 0.0246, 69 -0.1844, 72 -0.2766, 75 -0.0161, 81 0.3227, 84 0.2213, 91 -0.0246, 92 -0.2213, 103 -0.0246, 113 0.0246, 132 -0.0426, 133 0.2213, 140 0.2213, 141 -0.0246, 142 0.2213, 147 0.0246, 152 0.1614, 155 0.0246, 162 0.0246, 179 0.0246, 191 0.0246, 192 0.0426, 193 -0.2213, 194 0.0246, 216 -0.0246, 229 0.0426, 232 -0.0246, 241 0.0426, 251 -0.0246, 296 -0.2075, 299 0.2305, 304 -0.0123, 307 -0.0246, 316 0.0369, 317 0.0246, 324 -0.1153, 368 -0.2305, 402 -0.0246, 406 -0.0369, 414 0.0369, 417 -0.0426, 418 0.0246, 425 0.1153, 438 -0.1844, 452 -0.0138, 453 0.1614, 458 0.0246, 475 0.0246, 477 0.0246, 486 0.0180, 489 0.2213"`,
    );
  });

  test("gives vectors of length 1, in the order of the texts, whatever their purpose", async () => {
    const texts = ["one", "zwei", "三"];
    const together = await embed(local, texts);
    expect(together).toEqual(await Promise.all(texts.map(vectorOf)));
    expect(await embed(local, texts, { purpose: "query" })).toEqual(together);
    for (const text of texts) expect(await near(text, text)).toBeCloseTo(1, 5);
  });

  test("gives near vectors to forms of a word and words with similar spelling", async () => {
    expect(await near("vaccinate cats", "the cats were vaccinated")).toBeGreaterThan(0.7);
    const misspelt = await near("accomodation", "accommodation");
    expect(misspelt).toBeGreaterThan(0.05);
    expect(misspelt).toBeGreaterThan((await near("accomodation", "photosynthesis")) + 0.05);
  });

  test("gives stop words little weight", async () => {
    expect(await near("where is the key", "where is the dentist")).toBeLessThan(0.2);
    expect(await near("where is the key", "key")).toBeGreaterThan(0.9);
  });

  test("compares Chinese, Japanese and Korean by characters and pairs of them", async () => {
    for (const [query, right, wrong] of [
      ["会议时间", "下午的会议改了时间", "今天天气很好"],
      ["東京の駅", "新しい東京駅ができた", "猫が好きです"],
      ["서울 날씨", "서울의 날씨가 좋다", "고양이를 샀다"],
    ] as const) {
      expect(await near(query, right)).toBeGreaterThan((await near(query, wrong)) + 0.2);
    }
  });

  test("accepts texts without words, of a million characters, and with lone surrogates", async () => {
    for (const text of ["", " \n", "…?!", "x".repeat(1_000_000), "\ud800", "\u0000"]) {
      const vector = await vectorOf(text);
      expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
    }
  });

  test("sees letters, and its space has its version", () => {
    expect(local).toMatchObject({ id: "local", sees: "letters", dimensions: 512, space: "local/hash-1/512" });
  });
});
