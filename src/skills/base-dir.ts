/** A SKILL.md as its reader is to follow it: `{baseDir}` is where its folder is in the shell. */
export function withBaseDir(text: string, baseDir: string): string {
  return text.replaceAll("{baseDir}", () => baseDir);
}
