const LINE_BREAKS_AND_TABS = /[\t-\r\u0085\u2028\u2029]+/g;
const CONTROL_AND_FORMAT = /[\p{Cc}\p{Cf}]/gu;
const CONTROL_AND_FORMAT_BUT_LINES = /[^\P{Cc}\n\t]|\p{Cf}/gu;

/**
 * Makes an external value safe for one line of a prompt: line breaks and tabs become a space, other control (Cc) and
 * format (Cf) characters are removed, and a lone surrogate becomes U+FFFD. It cannot start a new line, hide text or
 * reorder it.
 */
export function sanitizeForPrompt(value: string): string {
  return value.replace(LINE_BREAKS_AND_TABS, " ").replace(CONTROL_AND_FORMAT, "").toWellFormed();
}

/** The same for a text of several lines: line feeds and tabs stay, and line endings become line feeds. */
export function sanitizeLinesForPrompt(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(CONTROL_AND_FORMAT_BUT_LINES, "").toWellFormed();
}
