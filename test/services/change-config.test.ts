import { afterEach, expect, test, vi } from "vitest";
import { reached } from "../../src/services/change-config.ts";

afterEach(() => void vi.useRealTimers());

test("who asks a database that never answers is told so, and not kept waiting", async () => {
  vi.useFakeTimers();
  const answer = reached(new Promise<never>(() => undefined), "Look again.");
  const told = expect(answer).rejects.toMatchObject({ code: "unavailable", hint: "Look again." });
  await vi.runAllTimersAsync();
  await told;
});
