/** What people see of a text in mrkdwn: signs at borders of words are styles, unless something invisible is beside them. */
export function shownMrkdwn(text: string): string {
  const bare = text
    .replace(/<(?:https?|mailto):[^<>|]*\|([^<>]*)>/g, "$1")
    .replace(/<((?:https?|mailto):[^<>|]*)>/g, "$1");
  if (/[<>]/.test(bare.replace(/^> /gm, ""))) throw new Error(`not escaped: ${bare}`);
  const styled = bare
    .replace(/```\n?([\s\S]*?)\n?```/g, "$1")
    .replace(/(?<![\p{L}\p{N}\u2060])([*_~`])(?=\S)([^\n]*?\S)\1(?![\p{L}\p{N}\u2060])/gu, "$2");
  return styled
    .replace(/^> /gm, "")
    .replaceAll(/[\u2060\u200b]/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}
