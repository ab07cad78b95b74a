import { expect, test } from "vitest";
import { isSummaryOf } from "../../src/agent/summary-check.ts";

const TALK = `[2026-11-02 09:00] Olga (owner):
> We fly to Lisbon on the 14th with TAP, flight TP931, seats 12A and 12B. Can you help with that? I'm sorry this is late.
[2026-11-02 09:01] Assistant:
> I noted it in travel/lisbon.md. The hotel Borges Chiado costs 142 euros a night.`;

test.each([
  "I'm sorry, I can't help with that.",
  "NO_REPLY",
  "I cannot summarize this conversation, because it contains personal information about people.",
  "Sure! What would you like to talk about today?",
  "抱歉，我无法帮助您完成这个请求。",
])("%s is no summary", (text) => {
  expect(isSummaryOf(text, TALK)).toBe(false);
});

test.each([
  "## Trip\n- Lisbon on the 14th, TP931",
  "Olga flies to Lisbon on the 14th with TAP (flight TP931, seats 12A and 12B); the hotel Borges Chiado costs 142 euros a night, see travel/lisbon.md.",
  "1. 奥尔加14日飞往里斯本",
])("%s is one", (text) => {
  expect(isSummaryOf(text, TALK)).toBe(true);
});

test("a summary in Chinese is known by the words and numbers that it keeps", () => {
  const talk =
    "奥尔加下周二去里斯本，航班号TP931，酒店每晚142欧元，已经记在旅行笔记里。护照在抽屉里，朋友玛丽亚会去机场接她。";
  expect(
    isSummaryOf("奥尔加下周二乘航班去里斯本，酒店每晚142欧元，玛丽亚去机场接她，护照在抽屉里，笔记已经记下。", talk),
  ).toBe(true);
  expect(isSummaryOf("对不起，这个问题我没有办法回答，请您换一个话题。", talk)).toBe(false);
});
