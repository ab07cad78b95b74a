/** What people see where signs at borders of words are styles, unless something invisible is beside them. */
export function shownStars(text: string): string {
  return text
    .replace(/```\n?([\s\S]*?)\n?```/g, "$1")
    .replace(/(?<![\p{L}\p{N}\u2060])([*_~`])(?=\S)([^\n]*?\S)\1(?![\p{L}\p{N}\u2060])/gu, "$2")
    .replace(/^> /gm, "")
    .replaceAll(/[\u2060\u200b]/g, "");
}
