import { expect, test } from "vitest";
import { isEffectivelyEmpty } from "../../src/workspace/bootstrap.ts";

test("headings, comments, empty items, rules and empty code ask for nothing", () => {
  const nothing = ["", " \n\t\r\n", "# HEARTBEAT.md\r\n## Later", "- \n* [ ]\n+ [x]\n1.\n2) ", "---", "```md\n```"];
  for (const text of [...nothing, "<!-- check\nthe mail -->", "<!-- never closed\ncheck the mail"]) {
    expect(isEffectivelyEmpty(text), text).toBe(true);
  }
});

test("a line of words asks for something, also in an item, after a comment, and as a tag", () => {
  for (const text of ["Check the mail", "# A\n- [ ] mail", "<!-- x --> mail", "#mail", "1. mail", "```\nmail\n```"]) {
    expect(isEffectivelyEmpty(text), text).toBe(false);
  }
});
