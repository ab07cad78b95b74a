import { describe, expect, test } from "vitest";
import { parseTranscriptPath, transcriptFolder, transcriptPath } from "../../src/memory/transcript-path.ts";

const conversation = `ses_${"0".repeat(26)}`;

describe("the path of a transcript's page", () => {
  test("has the parts of the session's key", () => {
    const place = { sessionKey: "agent:main:telegram:group:-100:topic:7", conversation, page: 2 };
    expect(transcriptPath(place)).toBe(`sessions/telegram/group/-100/topic/7/${conversation}/2.md`);
    expect(transcriptFolder("agent:main:main")).toBe("sessions/main/");
  });

  test.each([
    "agent:main:main",
    "agent:main:telegram:direct:小明",
    "agent:main:matrix:group:!room%3Aserver",
    "agent:main:webchat:direct:.",
    "agent:main:webchat:direct:..",
    "agent:main:webchat:direct:...",
    "agent:main:webchat:direct:%2E",
    "agent:main:webchat:direct: back\\slash ",
    "agent:main:webchat:direct:u\u0308ber",
    "agent:main:webchat:direct:a\u200bb",
  ])("is parsed back to the same session: %s", (sessionKey) => {
    const path = transcriptPath({ sessionKey, conversation, page: 1 });
    expect(parseTranscriptPath(path, "main")).toEqual({ sessionKey, conversation, page: 1 });
    expect(path.normalize("NFC")).toBe(path);
    expect(path.split("/")).not.toContain("..");
    expect(path).not.toMatch(/\\|\p{Cf}/u);
  });

  test.each([
    "memory/2026-01-01.md",
    "sessions/notes.md",
    `sessions/${conversation}/1.md`,
    `sessions/main/${conversation}/0.md`,
    `sessions/main/${conversation}/01.md`,
    `sessions/main/../main/${conversation}/1.md`,
    `sessions/%6Dain/${conversation}/1.md`,
    `sessions/%E0/${conversation}/1.md`,
    `sessions/main/${conversation}/1.md\n`,
    "sessions/main/ses_short/1.md",
  ])("is rejected in any other spelling: %s", (path) => {
    expect(parseTranscriptPath(path, "main")).toBeUndefined();
  });
});
