import { expect, test } from "vitest";
import { newId } from "../../src/lib/ids.ts";
import { mayHoldOutsideWords } from "../../src/memory/outside-words.ts";
import type { SpokenMessage } from "../../src/plugins/hook-map.ts";
import { notePath } from "../../src/plugins/session-memory.ts";

const AT = Date.UTC(2026, 10, 22);
const isOutside = (path: string, source: "memory" | "sessions" = "memory") => mayHoldOutsideWords({ path, source });

test("transcripts, and the notes that are made of conversations, may hold others' words", () => {
  const noteOf = (text: string) => {
    const messages: SpokenMessage[] = [{ role: "user", text, at: AT }];
    return notePath({ at: AT, endedSessionId: newId("ses", AT) }, messages, "UTC");
  };
  for (const said of ["Plan a trip to Lisbon", "我们去里斯本吧", "?!", "x".repeat(300)]) {
    expect([said, isOutside(noteOf(said))]).toEqual([said, true]);
  }
  expect(isOutside("sessions/main/ses_1/1.md", "sessions")).toBe(true);
});

test("what the owner and the agent wrote is their own", () => {
  for (const path of ["MEMORY.md", "memory/2026-11-22.md", "memory/people/ada.md", "memory/2026-11-22-trip.md"]) {
    expect([path, isOutside(path)]).toEqual([path, false]);
  }
});
