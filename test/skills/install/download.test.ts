import { expect, test } from "vitest";
import { digestOf } from "../../../src/lib/digest.ts";
import { IsopodError } from "../../../src/lib/errors.ts";
import { createSafeFetch } from "../../../src/security/safe-fetch.ts";
import { type ArchiveSource, archiveLocation, fetchArchive } from "../../../src/skills/install/download.ts";
import type { OutsideAnswer } from "../../fakes/outside.ts";
import { at, heard, outsideHost, serve } from "../../security/outside-lab.ts";
import { zipOf } from "./zip-of.ts";

const SKILL = "---\nname: weather\ndescription: Tells the weather.\n---\nLook out of the window.\n";
const ZIP = zipOf({ "SKILL.md": SKILL });
const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
const DIGEST = await digestOf("SHA-256", bytesOf(ZIP));
const FILE_DIGEST = await digestOf("SHA-256", new TextEncoder().encode(SKILL));

const open = createSafeFetch({ fetch, allowPrivate: [outsideHost] });

function ports(place: string, more: object = {}) {
  return { fetch: open, registryUrl: at(place), limits: { maxBytes: 1024 * 1024, timeoutMs: 5000 }, ...more };
}

async function refusal(source: ArchiveSource, place: string, more: object = {}) {
  const thrown = await fetchArchive(source, ports(place, more)).catch((error) => error);
  if (!(thrown instanceof IsopodError)) throw new Error(`It was not refused: ${String(thrown)}`);
  return [thrown.code, thrown.details.reason ?? "", `${thrown.message} ${thrown.hint}`] as const;
}

/** What ClawHub answers of a skill that nothing is wrong with, but for what is said otherwise. */
function registry(more: { skill?: object; version?: object; answers?: Record<string, OutsideAnswer> } = {}) {
  const json = (body: object): OutsideAnswer => ({
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return {
    "api/v1/skills/weather": json({
      skill: {
        slug: "weather",
        displayName: "Weather",
        tags: { latest: "1.2.0" },
        stats: {},
        createdAt: 0,
        updatedAt: 0,
      },
      latestVersion: { version: "1.2.0", createdAt: 0, changelog: "…" },
      metadata: null,
      owner: { handle: "ann", displayName: "Ann", image: null },
      ...more.skill,
    }),
    ...Object.fromEntries(
      ["1.2.0", "1.1.0"].map((version) => [
        `api/v1/skills/weather/versions/${version}`,
        json({
          skill: { slug: "weather", displayName: "Weather" },
          version: {
            version,
            createdAt: 0,
            changelog: "…",
            files: [
              { path: "SKILL.md", size: SKILL.length, sha256: FILE_DIGEST.toUpperCase(), contentType: "text/markdown" },
            ],
            security: { status: "clean", hasWarnings: false, hasScanResult: true, sha256hash: "0".repeat(64) },
            ...more.version,
          },
        }),
      ]),
    ),
    "api/v1/download?slug=weather&version=1.2.0": {
      body: ZIP,
      base64: true,
      headers: { "Content-Type": "application/zip" },
    },
    "api/v1/download?slug=weather&version=1.1.0": { body: ZIP, base64: true },
    ...more.answers,
  };
}

test("an archive is downloaded from a URL, whatever its content type", async () => {
  const tar = btoa("\x1f\x8b\x08\x00 and so on");
  await serve("dl-url", {
    "a.bin": { body: ZIP, base64: true, headers: { "Content-Type": "text/html" } },
    b: { body: tar, base64: true },
  });
  expect(await fetchArchive({ url: at("dl-url", "a.bin") }, ports("dl-url"))).toEqual({
    bytes: bytesOf(ZIP),
    resolved: { kind: "url", url: at("dl-url", "a.bin"), sha256: DIGEST },
  });
  expect((await fetchArchive({ url: at("dl-url", "b") }, ports("dl-url"))).bytes).toEqual(bytesOf(tar));
});

test("a download that is not an archive is refused with a hint", async () => {
  await serve("dl-bad", {
    page: { body: "<html>Download</html>", headers: { "Content-Type": "text/html; charset=utf-8" } },
    text: { body: "PK and nothing" },
    empty: {},
    private: { status: 403 },
    broken: { status: 500 },
    large: { bytes: 2 * 1024 * 1024 },
  });
  const tried = (path: string) => refusal({ url: at("dl-bad", path) }, "dl-bad");
  expect((await tried("page"))[2]).toContain("a web page, not an archive");
  expect((await tried("text")).slice(0, 2)).toEqual(["unsupported_media_type", "not_an_archive"]);
  expect((await tried("empty"))[0]).toBe("unsupported_media_type");
  expect((await tried("gone"))[0]).toBe("not_found");
  expect((await tried("private"))[0]).toBe("forbidden");
  expect((await tried("broken"))[0]).toBe("unavailable");
  expect((await tried("large")).slice(0, 2)).toEqual(["payload_too_large", "too_large"]);
  const inside = await refusal({ url: "http://10.0.0.1/skill.zip" }, "dl-bad");
  expect(inside.slice(0, 2)).toEqual(["forbidden", "refused"]);
});

test("a GitHub page is mapped to the archive of its repository, branch or folder", () => {
  const tarball = "https://codeload.github.com/ann/tools/tar.gz";
  expect(archiveLocation("https://github.com/ann/tools")).toEqual({ url: `${tarball}/HEAD` });
  expect(archiveLocation("https://github.com/ann/tools.git/")).toEqual({ url: `${tarball}/HEAD` });
  expect(archiveLocation("https://github.com/ann/tools/tree/v2")).toEqual({ url: `${tarball}/v2` });
  expect(archiveLocation("https://github.com/ann/tools/tree/main/skills/my%20one")).toEqual({
    url: `${tarball}/main`,
    path: "skills/my one",
  });
  expect(archiveLocation("https://github.com/ann/tools/blob/main/skills/one/SKILL.md")).toEqual({
    url: `${tarball}/main`,
    path: "skills/one",
  });
  for (const other of [
    "https://github.com/ann/tools/releases/download/v1/a.zip",
    "https://example.com/x/y",
    "nonsense",
  ]) {
    expect(archiveLocation(other)).toEqual({ url: other });
  }
});

test("a ClawHub slug resolves to its newest or the requested version", async () => {
  await serve("ch-good", registry());
  const newest = await fetchArchive({ slug: "weather" }, ports("ch-good"));
  expect(newest.bytes).toEqual(bytesOf(ZIP));
  expect(newest.resolved).toEqual({
    kind: "clawhub",
    slug: "weather",
    version: "1.2.0",
    sha256: DIGEST,
    files: new Map([["SKILL.md", FILE_DIGEST]]),
  });
  const older = await fetchArchive({ slug: "weather", version: "1.1.0" }, ports("ch-good"));
  expect(older.resolved).toMatchObject({ version: "1.1.0" });
  expect((await heard("ch-good")).some(({ headers }) => "authorization" in headers)).toBe(false);
});

test("a ClawHub request names the skill's owner and sends the configured token", async () => {
  const answers = Object.entries(registry()).map(([path, answer]) => [
    `${path}${path.includes("?") ? "&" : "?"}ownerHandle=ann`,
    answer,
  ]);
  await serve("ch-owner", Object.fromEntries(answers));
  const found = await fetchArchive({ slug: "@ann/weather" }, ports("ch-owner", { registryToken: "clh_token" }));
  expect(found.resolved).toMatchObject({ slug: "@ann/weather", version: "1.2.0" });
  const requests = await heard("ch-owner");
  expect(requests.map(({ headers }) => headers.authorization)).toEqual(Array(3).fill("Bearer clh_token"));
});

test("a renamed ClawHub skill is downloaded under its new name", async () => {
  const { "api/v1/skills/weather": skill, ...others } = registry();
  await serve("ch-renamed", { "api/v1/skills/forecast": skill!, ...others });
  const found = await fetchArchive({ slug: "forecast" }, ports("ch-renamed"));
  expect(found.resolved).toMatchObject({ slug: "weather" });
});

test.for([
  ["malicious", { skill: { moderation: { isSuspicious: true, isMalwareBlocked: true, verdict: "malicious" } } }],
  ["suspicious", { skill: { moderation: { isSuspicious: true, isMalwareBlocked: false, verdict: "suspicious" } } }],
  ["pending_scan", { skill: { moderation: { isPendingScan: true } } }],
  ["withdrawn", { skill: { moderation: { isHiddenByMod: true } } }],
  ["malicious", { version: { security: { status: "malicious" } } }],
  ["suspicious", { version: { security: { status: "suspicious" } } }],
  ["pending_scan", { version: { security: { status: "pending" } } }],
  ["not_scanned", { version: { security: { status: "error" } } }],
  ["withdrawn", { answers: { "api/v1/download?slug=weather&version=1.2.0": { status: 403, body: "Blocked" } } }],
  ["withdrawn", { answers: { "api/v1/download?slug=weather&version=1.2.0": { status: 410 } } }],
  ["pending_scan", { answers: { "api/v1/download?slug=weather&version=1.2.0": { status: 423 } } }],
] as const)("what the registry holds against a skill keeps it out: %s, %j", async ([reason, more], { task }) => {
  const place = `ch-${task.id.replace(/\W/g, "")}`;
  await serve(place, registry(more));
  const [code, why, sentence] = await refusal({ slug: "weather" }, place);
  expect([code, why]).toEqual(["forbidden", reason]);
  expect(sentence).toContain("weather is not installed: 127.0.0.1:");
  const asked = (await heard(place)).some(({ path }) => path.includes("download"));
  expect(asked).toBe("answers" in more);
});

test("a registry without scans and file digests is accepted", async () => {
  await serve("ch-small", registry({ version: { files: undefined, security: undefined } }));
  const { resolved } = await fetchArchive({ slug: "weather" }, ports("ch-small"));
  expect(resolved).toMatchObject({ version: "1.2.0", files: undefined });
});

test("unusable registry responses are reported, with how long to wait", async () => {
  const path = "api/v1/skills/weather";
  const tried = async (answer: OutsideAnswer) => {
    await serve("ch-odd", { [path]: answer });
    return refusal({ slug: "weather" }, "ch-odd");
  };
  expect(await tried({ status: 429, headers: { "Retry-After": "34" } })).toEqual([
    "rate_limited",
    "",
    expect.stringContaining("Try again in 34 s."),
  ]);
  expect((await tried({ status: 429, headers: { "RateLimit-Reset": "7" } }))[2]).toContain("Try again in 7 s.");
  expect((await tried({ status: 404 }))[0]).toBe("not_found");
  expect((await tried({ status: 409 }))[2]).toContain("@owner/weather");
  expect((await tried({ status: 401 }))[2]).toContain("registryToken");
  expect((await tried({ status: 503 }))[0]).toBe("unavailable");
  for (const body of [
    "<html>",
    "{}",
    '{"skill":null}',
    '{"skill":{"slug":"../../x"},"latestVersion":{"version":"1"}}',
  ]) {
    expect((await tried({ body }))[2]).toContain("not what a registry says");
  }
  expect((await tried({ body: '{"skill":{"slug":"weather"},"latestVersion":null}' }))[0]).toBe("not_found");
  expect((await tried({ bytes: 2 * 1024 * 1024 }))[0]).toBe("payload_too_large");
});

test("an archive that differs from the registry's digest is refused", async () => {
  const download = "api/v1/download?slug=weather&version=1.2.0";
  const headers = { "X-ClawHub-Artifact-Sha256": "0".repeat(64) };
  await serve("ch-digest", registry({ answers: { [download]: { body: ZIP, base64: true, headers } } }));
  expect((await refusal({ slug: "weather" }, "ch-digest")).slice(0, 2)).toEqual(["unavailable", "digest"]);
  await serve("ch-page", registry({ answers: { [download]: { body: "<html>" } } }));
  expect((await refusal({ slug: "weather" }, "ch-page"))[0]).toBe("unavailable");
});

test("names and versions that could alter the request URL are refused", async () => {
  for (const slug of ["", "..", "a/b/c", "../x", "a b", "a?x=1", "@/x", "@a/", "a%2fb", "x".repeat(200)]) {
    expect((await refusal({ slug }, "ch-names"))[0]).toBe("invalid_request");
  }
  for (const version of ["", "..", "1/2", "latest version", "1?x"]) {
    expect((await refusal({ slug: "weather", version }, "ch-names"))[0]).toBe("invalid_request");
  }
  expect(await heard("ch-names")).toEqual([]);
});
