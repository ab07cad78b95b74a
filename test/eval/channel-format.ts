import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { MAX_PARTS } from "../../src/turn/output/bounded-parts.ts";

/** One message of a reply: what it says in the platform's markup, and the JSON that would be sent. */
export interface FormattedPart {
  text: string;
  body: unknown;
}

/** What became of one text on one platform; `file` is what follows where there are more messages than a reply may have. */
export interface FormatLine {
  type: "format";
  platform: string;
  case: string;
  parts: FormattedPart[];
  file: { name: string; text: string } | null;
}

interface FormatCase {
  name: string;
  markdown: string;
}

/**
 * Formats every text of `format/cases.jsonl` below a directory for every platform.
 * @param formatters gives all messages of a reply, by platform
 */
export async function formatDump(
  directory: string,
  formatters: Readonly<Record<string, (markdown: string) => FormattedPart[]>>,
): Promise<FormatLine[]> {
  const lines = (await readFile(join(directory, "format/cases.jsonl"), "utf8")).split("\n").filter(Boolean);
  const cases = lines.map((line): FormatCase => JSON.parse(line));
  return cases.flatMap(({ name, markdown }) =>
    Object.entries(formatters).map(([platform, format]): FormatLine => {
      const parts = format(markdown);
      if (parts.length <= MAX_PARTS) return { type: "format", platform, case: name, parts, file: null };
      const [sent, rest] = [parts.slice(0, MAX_PARTS - 1), parts.slice(MAX_PARTS - 1)];
      const file = { name: "reply.txt", text: rest.map(({ text }) => text).join("\n") };
      return { type: "format", platform, case: name, parts: sent, file };
    }),
  );
}
