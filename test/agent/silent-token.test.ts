import { describe, expect, test } from "vitest";
import { endsWithToken, isSilent, mayBeSilent, stripSilentToken } from "../../src/agent/silent-token.ts";

describe("the silent token", () => {
  test.each([
    "NO_REPLY",
    " NO_REPLY\n",
    "**NO_REPLY**",
    "`NO_REPLY`",
    "“NO_REPLY”。",
    "```\nNO_REPLY\n```",
    "NO_REPLY NO_REPLY",
  ])("is the whole of %j", (text) => {
    expect(isSilent(text)).toBe(true);
    expect(stripSilentToken(text)).toBe("");
  });

  test.each(["no_reply", "NO_REPLY_CODE", "Reply with NO_REPLY_ALL", "The token is `NO_REPLY`.", "NO REPLY", ""])(
    "is not the text %j",
    (text) => {
      expect(isSilent(text)).toBe(false);
      expect(stripSilentToken(text)).toBe(text);
    },
  );

  test.each([
    ["NO_REPLY\n\nHello.", "Hello."],
    ["**NO_REPLY**\nHello.", "Hello."],
    ["NO_REPLY: Hello.", "Hello."],
    ["Hello.\n\nNO_REPLY", "Hello."],
    ["Hello. NO_REPLY.", "Hello."],
    ["Hello.\n`NO_REPLY`\n", "Hello."],
    ["你好。NO_REPLY", "你好。"],
    ["NO_REPLY\nHello.\nNO_REPLY", "Hello."],
  ])("is removed from the edge of %j", (text, said) => {
    expect(stripSilentToken(text)).toBe(said);
  });

  test("may be the completion of a partial text", () => {
    for (const beginning of ["", "  ", "**", "N", "`NO_", "NO_REPLY", "NO_REPLY\n"]) {
      expect([beginning, mayBeSilent(beginning)]).toEqual([beginning, true]);
    }
    for (const beginning of ["No", "NO_REPLY Hello", "NO_REPLYX", "Hi NO_"]) {
      expect([beginning, mayBeSilent(beginning)]).toEqual([beginning, false]);
    }
  });

  test("is found at the end of a text", () => {
    expect(endsWithToken("Hello.\n\n**NO_REPLY**\n")).toBe(true);
    expect(endsWithToken("NO_REPLY is a token.")).toBe(false);
  });

  test("is searched for in linear time", () => {
    const text = `a${" \n".repeat(250_000)}b`;
    expect(stripSilentToken(text)).toBe(text);
  });
});
