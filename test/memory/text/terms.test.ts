import { expect, test } from "vitest";
import { dateTerms, findDates } from "../../../src/memory/text/dates.ts";
import { isStopWord } from "../../../src/memory/text/english.ts";
import { splitPieces } from "../../../src/memory/text/pieces.ts";
import { textTerms, wordTerms } from "../../../src/memory/text/terms.ts";

function terms(text: string): string {
  return [...textTerms(text)].join(" ");
}

test.each([
  ["forms of a word are one term", "vaccinate vaccinated vaccinating", "vaccin vaccin vaccin"],
  ["irregular forms too", "went gone children's bought", "go go child bui"],
  ["case, width and accents make no difference", "ＣＡＦÉ café Straße Łódź", "cafe cafe strass lodz"],
  ["letters of other scripts keep what tells them apart", "Чай ἄλφα", "чай αλφα"],
  [
    "a compound is found whole and by its parts",
    "foo_bar parseHTMLText e-mail",
    "foobar foo bar parsehtmltext pars html text email e mail",
  ],
  ["a path by its names", "src/memory/chunk.ts", "src memori chunkt chunk ts"],
  ["a version, which is no other number", "1.2.3 123", "1.2.3 1 2 3 123"],
  ["a number with its unit", "10am 8th 08 1,000 v2", "10am 10 am 8 8 1000 v2"],
  ["apostrophes", "don't Anna's l'été O’Brien", "dont anna lete l et obrien o brien"],
  ["emoji, without skin and joints", "👍🏽 👩‍💻 🇫🇷", "👍 👩 💻 🇫🇷"],
  ["Chinese, Japanese and Korean by the character", "我爱 タワー 국어 ﾃｽﾄ", "我 爱 タ ワ ー 국 어 テ ス ト"],
  ["a sign is no letter of the word before it", "Widget™ x²", "widget x2"],
  ["nothing", "…!? \u0000 \ud800", ""],
])("%s", (_, text, expected) => {
  expect(terms(text)).toBe(expected);
});

test("an overlong word is found by its beginning", () => {
  expect(terms("a1".repeat(5_000))).toHaveLength(64);
});

test("terms of words are cached, those of overlong data are not", () => {
  expect(wordTerms("harbours")).toBe(wordTerms("harbours"));
  expect(wordTerms("0f".repeat(800))).not.toBe(wordTerms("0f".repeat(800)));
});

test("a text in ASCII has the same terms beside other scripts", () => {
  const text = "Don't e-mail foo_bar.ts, 1,000 times -- or 10,00? _x_ a--b 'quoted' U.S.A. v1.2.";
  expect(`${terms(text)} é`.replace("é", "e")).toBe(terms(`${text} é`));
});

test("pieces of a text come in order", () => {
  expect([...splitPieces("Tea 茶道 🍵")].map(({ kind, text }) => [kind, text])).toEqual([
    ["word", "Tea"],
    ["run", "茶道"],
    ["emoji", "🍵"],
  ]);
});

test("stop words are recognized in any case and with apostrophes", () => {
  expect(["The", "don't", "WOULDN’T", "what"].filter((word) => !isStopWord(word))).toEqual([]);
  expect(isStopWord("tea")).toBe(false);
});

test.each([
  ["2023-05-08", [{ year: 2023, month: 5, day: 8 }]],
  [
    "20230508 and 2023.05.09",
    [
      { year: 2023, month: 5, day: 8 },
      { year: 2023, month: 5, day: 9 },
    ],
  ],
  ["8 May, 2023", [{ year: 2023, month: 5, day: 8 }]],
  ["the 8th of May", [{ month: 5, day: 8 }]],
  ["Sept. 1st 2023", [{ year: 2023, month: 9, day: 1 }]],
  ["in may, but may be in March", [{ month: 5 }, { month: 3 }]],
  [
    "April 2022 or 2022-07",
    [
      { year: 2022, month: 4 },
      { year: 2022, month: 7 },
    ],
  ],
  ["summer 2021", [{ year: 2021 }]],
  [
    "2023年5月8日，5月9号",
    [
      { year: 2023, month: 5, day: 8 },
      { month: 5, day: 9 },
    ],
  ],
  ["2023년 5월 8일", [{ year: 2023, month: 5, day: 8 }]],
  ["99 May, 13/40, 12345678901", []],
])("the dates of %j are found", (text, dates) => {
  expect(findDates(text)).toEqual(dates);
});

test("a date is indexed by year, month and day as far as they are known", () => {
  expect(dateTerms({ year: 2023, month: 5, day: 8 })).toEqual(["2023", "202305", "20230508"]);
  expect(dateTerms({ month: 5, day: 8 })).toEqual([]);
});
