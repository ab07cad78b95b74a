import { describe, expect, test } from "vitest";
import { stripSilentToken } from "../../../src/agent/silent-token.ts";
import { RESTART_NOTICE, ResumableText } from "../../../src/http/openai/resumable-text.ts";
import { randomFrom } from "../../prompt/random.ts";

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

describe("a streamed message", () => {
  test("a streamed message is its visible text without NO_REPLY, however it is split", () => {
    const random = randomFrom(7);
    for (const whole of WHOLES) {
      for (let round = 0; round < 50; round++) {
        const stream = new ResumableText("text");
        const pieces = cut(whole, random).map((piece) => stream.append(piece));
        expect([...pieces, stream.finish(whole)].join("")).toBe(stripSilentToken(whole));
      }
    }
  });

  test("only text that may be part of NO_REPLY is held back", () => {
    const stream = new ResumableText("text");
    expect(stream.append("Hello")).toBe("Hello");
    expect(stream.append(" there")).toBe(" there");
    expect(stream.append(" N")).toBe("");
    expect(stream.append("ow")).toBe(" Now");
  });

  test("a message that came in one piece is sent whole, and messages do not mix", () => {
    const stream = new ResumableText("text");
    expect(stream.finish("One.")).toBe("One.");
    expect(stream.finish("Two.")).toBe("Two.");
  });
});

describe("a streamed message after a restart", () => {
  test("continues where the reader is while the model repeats itself", () => {
    const stream = new ResumableText("text");
    expect(stream.append("Once upon a time")).toBe("Once upon a time");
    stream.restart();
    expect(stream.append("Once upon")).toBe("");
    stream.restart();
    expect(stream.append("Once upon a")).toBe("");
    expect(stream.append(" time there was")).toBe(" there was");
    expect(stream.finish("Once upon a time there was a crab.")).toBe(" a crab.");
  });

  test("sends a notice and the new text once the model says something else", () => {
    const stream = new ResumableText("text");
    stream.append("Once upon a time");
    stream.restart();
    expect(stream.append("Once there")).toBe(`${RESTART_NOTICE}Once there`);
    expect(stream.append(" was")).toBe(" was");
    expect(stream.finish("Once there was.")).toBe(".");
  });

  test("sends the notice also where the new text is shorter", () => {
    const stream = new ResumableText("text");
    stream.append("Yes, and also no");
    stream.restart();
    stream.append("Yes");
    expect(stream.finish("Yes")).toBe(`${RESTART_NOTICE}Yes`);
  });

  test("compares the full text where no deltas came again", () => {
    const stream = new ResumableText("text");
    stream.append("Once upon");
    stream.restart();
    expect(stream.finish("Once upon a time.")).toBe(" a time.");
  });
});
