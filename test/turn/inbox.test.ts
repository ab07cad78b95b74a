import { expect, test } from "vitest";
import { safeName } from "../../src/turn/inbox.ts";

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
