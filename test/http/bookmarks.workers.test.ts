import { env } from "cloudflare:test";
import { expect, test, vi } from "vitest";
import { call } from "../flow/client.ts";

test("a list is read from the primary, and with the bookmark of an earlier answer from a replica that has its state", async () => {
  const withSession = vi.spyOn(env.DB, "withSession");
  const first = await call("GET", "/v1/sessions");
  const bookmark = first.headers.get("X-D1-Bookmark");
  expect(bookmark).toMatch(/^[\da-f-]+$/);
  for (const path of ["/v1/sessions", "/v1/audit", "/v1/approvals", "/v1/sessions/agent:main:main/runs"]) {
    const next = await call("GET", path, undefined, { "X-D1-Bookmark": bookmark! });
    expect([path, next.status, next.headers.get("X-D1-Bookmark") !== null]).toEqual([path, 200, true]);
  }
  await call("GET", "/v1/sessions", undefined, { "X-D1-Bookmark": "'; drop table sessions" });
  const constraints = withSession.mock.calls.map(([constraint]) => constraint);
  expect(constraints).toEqual(["first-primary", ...Array.from({ length: 4 }, () => bookmark), "first-primary"]);
});
