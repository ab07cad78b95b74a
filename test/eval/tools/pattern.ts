const PATTERN = /^\/(.+)\/([a-z]*)$/s;

/** The pattern that a text between slashes is; undefined for any other text. */
export function patternIn(text: string): RegExp | undefined {
  const [, source, flags] = PATTERN.exec(text) ?? [];
  return source === undefined ? undefined : new RegExp(source, flags);
}

/**
 * A text that a pattern matches, made of its first alternative: enough for patterns of words with gaps between them.
 * @throws Error where the pattern asks for more
 */
export function sampleOf(pattern: RegExp): string {
  const [first = ""] = pattern.source.split("|");
  const sample = first
    .replace(/\[\\s\\S\][*+]\??|\.[*+]\??/g, " ")
    .replace(/\\([^a-z0-9])/gi, "$1")
    .replace(/[\^$]/g, "");
  if (!pattern.test(sample)) throw new Error(`No text can be made for ${pattern}: write the call down in \`script\`.`);
  return sample;
}

/** The value at a path such as `schedule.at`. */
export function valueAt(value: unknown, path: string): unknown {
  return path.split(".").reduce((at: unknown, key) => (at as Record<string, unknown> | undefined)?.[key], value);
}
