import { expect, test } from "vitest";
import { createMask } from "../../src/security/mask.ts";
import { createNeedleSearch } from "../../src/security/needle-search.ts";
import { pick, randomFrom } from "../prompt/random.ts";

const ALPHABETS = ["ab", "abcdefghijklmnopqrstuvwxyz0123456789", 'aZ9+/=%"\\ \n&<é語😀'].map((letters) => [...letters]);

function word(random: () => number, min: number, max: number): string {
  const letters = pick(ALPHABETS, random);
  return Array.from({ length: min + Math.floor(random() * (max - min)) }, () => pick(letters, random)).join("");
}

/** The longest needle that ends at each place, by looking for each at each place. */
function slowly(text: string, needles: readonly string[]): [number, number][] {
  return Array.from({ length: text.length }, (_, at) => at + 1).flatMap((end) => {
    const here = needles.filter((needle) => text.slice(0, end).endsWith(needle)).map(({ length }) => length);
    return here.length === 0 ? [] : [[end - Math.max(...here), end] as [number, number]];
  });
}

test("the needle search finds what a naive search finds", () => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = randomFrom(seed * 7919);
    const needles = Array.from({ length: 1 + Math.floor(random() * 6) }, () => word(random, 1, 5));
    const text = Array.from({ length: 8 }, () => (random() < 0.5 ? pick(needles, random) : word(random, 0, 6))).join(
      "",
    );
    const found = [...createNeedleSearch(needles)(text)].map(({ start, end }) => [start, end]);
    expect({ seed, found }).toEqual({ seed, found: slowly(text, needles) });
  }
});

test("no secret value remains after masking, and the text around it stays", () => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = randomFrom(seed * 104_729);
    const values = Array.from({ length: 1 + Math.floor(random() * 4) }, () => word(random, 6, 40)).filter(
      (value) => value.trim().length >= 6 && !"[redacted:V0]".includes(value),
    );
    const { mask, holds } = createMask(Object.fromEntries(values.map((value, n) => [`V${n}`, value])));
    const parts = Array.from({ length: 10 }, () =>
      random() < 0.4 && values.length > 0 ? pick(values, random) : "…#…",
    );
    const text = parts.join("");
    const masked = mask(text);
    for (const value of values) expect({ seed, left: masked.includes(value) }).toEqual({ seed, left: false });
    const kept = parts.filter((part) => part === "…#…").length;
    expect({ seed, kept: masked.split("#").length - 1 }).toEqual({ seed, kept });
    const hasOne = parts.some((part) => part !== "…#…");
    expect({ seed, holds: holds(new TextEncoder().encode(text)) }).toEqual({ seed, holds: hasOne });
  }
});

test("a secret value is found in every form at random offsets of random bytes", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = randomFrom(seed * 15_485_863);
    const value = word(random, 8, 40);
    if (value.trim().length < 6) continue;
    const { mask } = createMask({ NAME: value });
    const bytes = new TextEncoder().encode(value);
    const noise = (max: number) => Array.from({ length: Math.floor(random() * max) }, () => Math.floor(random() * 256));
    const all = Uint8Array.from([...noise(90), ...bytes, ...noise(90)]);
    const base64 = btoa(String.fromCharCode(...all));
    const hex = Array.from(all, (byte) => byte.toString(16).padStart(2, "0")).join("");
    const forms = [
      base64,
      base64.replace(/.{1,76}/g, "$&\r\n"),
      base64.replaceAll("+", "-").replaceAll("/", "_"),
      hex,
      hex.replace(/.{60}/g, "$&\n").toUpperCase(),
      hex.replace(/../g, "$& "),
      JSON.stringify({ value }),
      `?q=${encodeURIComponent(value)}`,
    ];
    for (const form of forms)
      expect({ seed, form, masked: mask(form).includes("[redacted:NAME]") }).toMatchObject({ masked: true });
  }
});

test("masking is fast for a large text with many values and many partial matches", () => {
  const values = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`V${n}`, `${"a".repeat(200)}${n}b`]));
  const { mask } = createMask(values);
  const text = "a".repeat(1_000_000);
  expect(mask(text)).toBe(text);
  expect(mask(`${text}7b`).endsWith("[redacted:V7]")).toBe(true);
});
