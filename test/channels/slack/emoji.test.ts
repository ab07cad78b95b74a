import { expect, test } from "vitest";
import { emojiName } from "../../../src/channels/slack/emoji.ts";

test("emojis have Slack's names, with their skin", () => {
  expect(["👍", "❤️", "🎉", "✅", "🤖"].map(emojiName)).toEqual([
    "thumbsup",
    "heart",
    "tada",
    "white_check_mark",
    "robot_face",
  ]);
  expect(["👍🏽", "👋🏿", "🙏🏻"].map(emojiName)).toEqual([
    "thumbsup::skin-tone-4",
    "wave::skin-tone-6",
    "pray::skin-tone-2",
  ]);
  expect([":party-parrot:", "+1", "thumbsup::skin-tone-3"].map(emojiName)).toEqual([
    "party-parrot",
    "+1",
    "thumbsup::skin-tone-3",
  ]);
  expect(["🧿", "not a name", ""].map(emojiName)).toEqual([undefined, undefined, undefined]);
});
