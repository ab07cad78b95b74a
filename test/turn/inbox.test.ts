import { expect, test } from "vitest";
import { keepFile, safeName } from "../../src/turn/inbox.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";

test.each([
  ["photo.jpg", "photo.jpg"],
  ["../../etc/passwd", ".._.._etc_passwd"],
  ["a b\u0000c\u202ed.txt", "a_b_c_d.txt"],
  ["jalapen\u0303o.pdf", "jalape\u00f1o.pdf"],
  ["हिन्दी.md", "हिन्दी.md"],
  ["报告 (最终).docx", "报告_最终_.docx"],
])("a file that came as %j is kept as %j", (name, kept) => {
  expect(safeName(name)).toBe(kept);
});

test("a picture is of the type that its bytes show, whatever the platform calls it", async () => {
  const workspace = { write: async () => undefined } as unknown as Workspace;
  const origin = { channel: "c", conversationId: "1", messageId: "2", senderId: "3", owner: true };
  const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0]);
  const kept = await keepFile({ name: "a.jpg", mediaType: "image/jpeg", bytes: png }, origin, workspace);
  expect(kept.image).toMatchObject({ mediaType: "image/png" });
});
