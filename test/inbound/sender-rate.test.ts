import { expect, test } from "vitest";
import { SenderCounts } from "../../src/inbound/sender-rate.ts";

const RATE = { messagesPerMinute: 2, messagesPerDay: 4 };

test("a sender over the rate is told once in each period, and others are not affected", () => {
  const counts = new SenderCounts();
  const at = (minute: number, sender = "telegram:default:6") => counts.count(sender, RATE, minute * 60_000);
  expect([at(1), at(1), at(1), at(1)]).toEqual([
    { over: false },
    { over: false },
    { over: true, tell: true },
    { over: true, tell: false },
  ]);
  expect(at(1, "telegram:default:7")).toEqual({ over: false });
  expect(at(2)).toEqual({ over: true, tell: true });
  expect(at(24 * 60 + 1)).toEqual({ over: false });
});

test("a message that its platform sends again counts once, one over the rate stays over it", () => {
  const counts = new SenderCounts();
  const count = (id: string) => counts.count("telegram:default:8", RATE, 60_000, id).over;
  expect(["a", "a", "a", "b", "b", "c", "c", "a"].map(count)).toEqual([
    ...[false, false, false, false, false, true, true, false],
  ]);
});
