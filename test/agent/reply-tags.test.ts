import { describe, expect, test } from "vitest";
import { createTagSplitter, withoutTags } from "../../src/agent/reply-tags.ts";
import { randomFrom } from "../prompt/random.ts";

describe("directive tags in a reply", () => {
  test.each([
    ["[[reply_to_current]] Yes.", "Yes.", { replyTo: "current" }],
    ["[[reply_to_current]]\nYes.", "\nYes.", { replyTo: "current" }],
    ["  [[ REPLY_TO_CURRENT ]]Yes.", "  Yes.", { replyTo: "current" }],
    ["[[reply_to: 42 ]] Yes.", "Yes.", { replyTo: { id: "42" } }],
    ["[[reply_to:1700000000.12]]Yes.", "Yes.", { replyTo: { id: "1700000000.12" } }],
    ["Yes [[reply_to_current]] it is.", "Yes it is.", { replyTo: "current" }],
    ["Listen. [[audio_as_voice]]\nMEDIA:out/hello.ogg", "Listen. \n", { asVoice: true, files: ["out/hello.ogg"] }],
    ["Here:\nMEDIA: `/workspace/a b.png`\nmedia:./a b.png\nDone.", "Here:\nDone.", { files: ["a b.png"] }],
    ["MEDIA:https://example.org/a.png", "https://example.org/a.png\n", {}],
  ])("leave of %j the text %j", (text, visible, directives) => {
    expect(withoutTags(text)).toEqual({ text: visible, directives });
  });

  test.each([
    "Write `[[reply_to_current]]` at the start.",
    "```\n[[reply_to_current]]\nMEDIA:a.png\n```",
    "[[reply_to_currently]] [[reply_to:]] [link](a) [[wiki]] [",
    "The MEDIA:a.png line has to stand alone.",
    `[[reply_to:${"9".repeat(200)}]]`,
    `MEDIA:${"a".repeat(3000)}`,
  ])("do not match: %j", (text) => {
    expect(withoutTags(text)).toEqual({ text, directives: {} });
  });

  test("are found however the deltas are split", () => {
    const pieces = ["[[reply_to_current]]", "[[ reply_to : 7 ]]", "MEDIA:a/b.png", "[[", "]]", "`", "\n", " ", "word"];
    const random = randomFrom(7);
    for (let round = 0; round < 300; round++) {
      const text = Array.from({ length: 12 }, () => pieces[Math.floor(random() * pieces.length)]).join("");
      const splitter = createTagSplitter();
      const said = [...text].map((character) => splitter.push(character)).join("") + splitter.end();
      expect({ text: said, directives: splitter.directives }, text).toEqual(withoutTags(text));
    }
  });

  test("are found in linear time", () => {
    const text = `${"[[ ".repeat(200_000)}${" ".repeat(200_000)}`;
    expect(withoutTags(text).text).toBe(text);
  });
});
