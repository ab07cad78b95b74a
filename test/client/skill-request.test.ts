import { describe, expect, it } from "vitest";
import { type SkillRequest, skillRequest } from "../../src/client/skill-request.ts";

describe("the request to the API of a verb", () => {
  const bytes = new Uint8Array([0x50, 0x4b]);
  const archive = { kind: "archive", bytes, type: "application/zip" } as const;
  const cases: [SkillRequest, boolean, object][] = [
    [{ verb: "list" }, false, { path: "/v1/agents/main/skills" }],
    [{ verb: "show", name: "天气" }, false, { path: "/v1/agents/main/skills/%E5%A4%A9%E6%B0%94" }],
    [{ verb: "remove", name: "a/b" }, true, { method: "DELETE", path: "/v1/agents/main/skills/a%2Fb?global=true" }],
    [{ verb: "verify", name: "w" }, false, { method: "POST", path: "/v1/agents/main/skills/w/verify" }],
    [{ verb: "accept", name: "w" }, true, { method: "POST", path: "/v1/agents/main/skills/w/accept?global=true" }],
    [
      { verb: "accept", name: "w", seen: "1ab" },
      false,
      { method: "POST", path: "/v1/agents/main/skills/w/accept", body: { seen: "1ab" } },
    ],
    [
      { verb: "update", name: "w", force: true, version: "2" },
      false,
      { method: "POST", path: "/v1/agents/main/skills/w/update", body: { force: true, version: "2" } },
    ],
    [
      { verb: "install", origin: archive, replace: true, path: "a/b" },
      true,
      {
        method: "POST",
        path: "/v1/agents/main/skills?global=true&replace=true&path=a%2Fb",
        content: bytes,
        headers: { "content-type": "application/zip" },
      },
    ],
    [
      { verb: "install", origin: { kind: "slug", slug: "weather", version: "1.0.0" }, replace: false },
      false,
      {
        method: "POST",
        path: "/v1/agents/main/skills",
        body: { slug: "weather", version: "1.0.0", path: undefined, global: false, replace: false },
      },
    ],
  ];

  it.each(cases)("%j (global: %s)", (request, global, asked) => {
    expect(skillRequest({ agentId: "main", global }, request)).toEqual(asked);
  });
});
