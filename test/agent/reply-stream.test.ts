import { describe, expect, test } from "vitest";
import { createReplyStream } from "../../src/agent/reply-stream.ts";

/** The blocks returned for each delta, and at the end. */
function stream(pieces: string[], minChars = 4, maxChars = 30) {
  const replies = createReplyStream({ minChars, maxChars });
  const early = pieces.flatMap((piece) => replies.push(piece));
  const late = replies.end();
  return {
    early: early.map(({ text }) => text),
    late: late.map(({ text }) => text),
    all: [...early, ...late],
  };
}

describe("a reply streamed in blocks", () => {
  test("holds the first block back while it may become the silent token", () => {
    expect(stream(["NO_", "REPLY", "\n\n"])).toMatchObject({ early: [], late: [] });
    expect(stream(["NO_REPLY\n\n", "But hello.\n\n", "x"])).toMatchObject({ early: ["But hello."], late: ["x"] });
  });

  test("holds back a block that ends with the silent token until more text arrives", () => {
    expect(stream(["Hello.\n\n", "That is NO_REPLY\n\n", "for you."])).toMatchObject({
      early: ["Hello."],
      late: ["That is NO_REPLY", "for you."],
    });
    expect(stream(["Hello.\n\n", "Bye.\nNO_REPLY\n\n"])).toMatchObject({ early: ["Hello."], late: ["Bye."] });
  });

  test("has sources that join to the whole reply, except for a removed end", () => {
    const { all } = stream(["\n\n\n\n", "NO_REPLY\n\n", "First one.\n\n\n", "Second.\n\n  \n"]);
    expect(all.map(({ source }) => source).join("")).toBe("\n\n\n\nNO_REPLY\n\nFirst one.\n\n\nSecond.\n\n");
  });
});
