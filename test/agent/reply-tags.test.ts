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
    ["[[tts]] Hello.", "Hello.", { speech: {} }],
    ["[[tts:voice=nova speed=1.1]]\nHello.", "\nHello.", { speech: { voice: "nova" } }],
    [
      "Done. [[tts:text]]It is [done], [[really]].[[/tts:text]] More.",
      "Done. More.",
      { speech: { text: "It is [done], [[really]]." } },
    ],
    ["A.\n[[tts: voice=a ]][[tts:text]]B", "A.\n", { speech: { voice: "a", text: "B" } }],
    ["Here:\nMEDIA: `/workspace/a b.png`\nmedia:./a b.png\nDone.", "Here:\nDone.", { files: ["a b.png"] }],
    ["MEDIA:https://example.org/a.png", "https://example.org/a.png\n", {}],
  ])("leave of %j the text %j", (text, visible, directives) => {
    expect(withoutTags(text)).toEqual({ text: visible, directives });
  });

  test.each([
    "Write `[[reply_to_current]]` at the start.",
    "```\n[[reply_to_current]]\nMEDIA:a.png\n```",
    "[[reply_to_currently]] [[reply_to:]] [link](a) [[wiki]] [",
    "[[ttsx]] [[tts:",
    "The MEDIA:a.png line has to stand alone.",
    `[[reply_to:${"9".repeat(200)}]]`,
    `MEDIA:${"a".repeat(3000)}`,
  ])("do not match: %j", (text) => {
    expect(withoutTags(text)).toEqual({ text, directives: {} });
  });

  test("are found however the deltas are split", () => {
    const pieces = ["[[reply_to_current]]", "[[ reply_to : 7 ]]", "MEDIA:a/b.png", "[[", "]]", "`", "\n", " ", "word"];
    pieces.push("[[tts:text]]", "[[/tts:text]]", "[[tts: voice=b c ]]");
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
    const spoken = createTagSplitter();
    spoken.push("[[tts:text]]");
    for (let n = 0; n < 200_000; n++) spoken.push("[[/tts ");
    expect(spoken.directives.speech?.text).toHaveLength(10_000);
  });
});
