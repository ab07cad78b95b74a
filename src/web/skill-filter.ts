import type { SkillLine } from "../client/wire.ts";

/** The skills in which every word of a search occurs, in their name, description, source or reason; all where it is empty. */
export function skillsMatching(skills: readonly SkillLine[], search: string): SkillLine[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return skills.filter(({ name, source, reason = "", description = "" }) => {
    const text = [name, source, reason, description].join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** What is in a SKILL.md below its front matter, and the front matter by itself. */
export function partsOf(text: string): { front: string; body: string } {
  const found = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text);
  return found === null
    ? { front: "", body: text }
    : { front: found[1] ?? "", body: text.slice(found[0].length).trim() };
}
