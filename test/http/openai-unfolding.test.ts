import { describe, expect, test } from "vitest";
import { stripSilentToken } from "../../src/agent/silent-token.ts";
import { BEGINS_ANEW, Unfolding } from "../../src/http/openai/unfolding.ts";
import { randomFrom } from "../prompt/random.ts";

const WHOLES = [
  "Hello there.",
  "\n\nHello,\n\n  there. \n",
  "NO_REPLY",
  " **NO_REPLY**. ",
  "NO_REPLY\nBut then something.",
  "Done.\n\nNO_REPLY",
  "NO, I will not. NOON is at 12. NO_REPL",
  "It says `NO_REPLY` there.",
  "完成了。NO_REPLY",
  "👩‍👩‍👧 naïve 日本語 \u{1F600}",
  "| a | b |\n|---|---|\n| 1 | 2 |",
  "",
  "   \n",
];

function cut(text: string, random: () => number): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const length = 1 + Math.floor(random() * 5);
    pieces.push(text.slice(at, at + length));
    at += length;
  }
  return pieces;
}

describe("a message that is told as it is said", () => {
  test("is what is to be said of it, however it was cut, and without the silent token", () => {
    const random = randomFrom(7);
    for (const whole of WHOLES) {
      for (let round = 0; round < 50; round++) {
        const unfolding = new Unfolding("speech");
        const pieces = cut(whole, random).map((piece) => unfolding.more(piece));
        expect([...pieces, unfolding.end(whole)].join("")).toBe(stripSilentToken(whole));
      }
    }
  });

  test("is not held back longer than it must", () => {
    const unfolding = new Unfolding("speech");
    expect(unfolding.more("Hello")).toBe("Hello");
    expect(unfolding.more(" there")).toBe(" there");
    expect(unfolding.more(" N")).toBe("");
    expect(unfolding.more("ow")).toBe(" Now");
  });

  test("is told whole where nobody heard its pieces, and each one for itself", () => {
    const unfolding = new Unfolding("speech");
    expect(unfolding.end("One.")).toBe("One.");
    expect(unfolding.end("Two.")).toBe("Two.");
  });
});

describe("after a restart", () => {
  test("it goes on where the reader is, as long as the same is said again", () => {
    const unfolding = new Unfolding("speech");
    expect(unfolding.more("Once upon a time")).toBe("Once upon a time");
    unfolding.restart();
    expect(unfolding.more("Once upon")).toBe("");
    unfolding.restart();
    expect(unfolding.more("Once upon a")).toBe("");
    expect(unfolding.more(" time there was")).toBe(" there was");
    expect(unfolding.end("Once upon a time there was a crab.")).toBe(" a crab.");
  });

  test("it says so and tells everything anew, once something else is said", () => {
    const unfolding = new Unfolding("speech");
    unfolding.more("Once upon a time");
    unfolding.restart();
    expect(unfolding.more("Once there")).toBe(`${BEGINS_ANEW}Once there`);
    expect(unfolding.more(" was")).toBe(" was");
    expect(unfolding.end("Once there was.")).toBe(".");
  });

  test("it says so also where less is said than before", () => {
    const unfolding = new Unfolding("speech");
    unfolding.more("Yes, and also no");
    unfolding.restart();
    unfolding.more("Yes");
    expect(unfolding.end("Yes")).toBe(`${BEGINS_ANEW}Yes`);
  });

  test("of a message whose pieces are lost its whole is compared", () => {
    const unfolding = new Unfolding("speech");
    unfolding.more("Once upon");
    unfolding.restart();
    expect(unfolding.end("Once upon a time.")).toBe(" a time.");
  });
});
