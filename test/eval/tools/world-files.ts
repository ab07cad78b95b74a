import type { Task } from "./task.ts";

/** USER.md with the addresses of the people whom the task knows. */
export function contactsFile({ world: { contacts } }: Task): Record<string, string> {
  const lines = Object.entries(contacts).flatMap(([name, places]) =>
    Object.entries(places).map(([channel, id]) => `- ${name}: ${channel}:${id}\n`),
  );
  return lines.length === 0 ? {} : { "USER.md": `# People\n\n${lines.join("")}` };
}

/** The notes as files, with each text on its line. */
export function notesOf({ world: { memory } }: Task): Record<string, string> {
  const files = new Map<string, string[]>();
  for (const { path, line, text: note } of memory) {
    const lines = files.get(path) ?? [];
    while (lines.length < line - 1) lines.push("");
    lines[line - 1] = note;
    files.set(path, lines);
  }
  return Object.fromEntries([...files].map(([path, lines]) => [path, `${lines.join("\n")}\n`]));
}
