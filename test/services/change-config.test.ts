import { afterEach, expect, test, vi } from "vitest";
import { reached } from "../../src/services/change-config.ts";

afterEach(() => void vi.useRealTimers());

test("a database that never answers is reported as unavailable after a while", async () => {
  vi.useFakeTimers();
  const answer = reached(new Promise<never>(() => undefined), "Look again.");
  const told = expect(answer).rejects.toMatchObject({ code: "unavailable", hint: "Look again." });
  await vi.runAllTimersAsync();
  await told;
});
