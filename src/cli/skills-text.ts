import type { SkillChange, SkillDetail, SkillReport, SkillVerification } from "../client/wire.ts";
import { oneLine, printable, table } from "./terminal-text.ts";

/** Most characters of a description in a table. */
const MAX_DESCRIPTION = 60;

/** An agent's skills as a table for a terminal: what may be used first, then the rest with why not. Pure. */
export function skillsText({ agent, skills, totals, warnings }: SkillReport): string {
  const usable = skills.filter(({ eligible }) => eligible);
  const shut = skills.filter(({ eligible }) => !eligible);
  const rows = usable.map((skill) => {
    const command = skill.command === undefined ? "" : `/${skill.command}`;
    return [
      "✓",
      skill.name,
      skill.source,
      command,
      skill.shown ? `${skill.tokens}` : "-",
      short(skill.description ?? ""),
    ];
  });
  return [
    ...(rows.length === 0 ? [] : [table([["", "skill", "from", "command", "tokens", ""], ...rows]), ""]),
    ...shut.flatMap(({ name, source, reason = "" }) => [`✗ ${oneLine(name)} (${source})`, `  → ${oneLine(reason)}`]),
    ...(shut.length === 0 ? [] : [""]),
    ...warnings.map((warning) => `! ${oneLine(warning)}`),
    ...cutText(usable),
    `${agent}: ${totals.found} found, ${totals.eligible} to use, ${totals.shown} in the prompt (about ${totals.tokens} tokens).`,
  ].join("\n");
}

/** Why some of those that may be used are in no prompt: all for the same limit, mostly. */
function cutText(usable: SkillReport["skills"]): string[] {
  const cut = usable.flatMap(({ cut = [] }) => cut);
  return [...new Set(cut)].map(
    (why) => `! ${cut.filter((one) => one === why).length} not in the prompt: ${oneLine(why)}`,
  );
}

/** One skill with its files and its text. Pure. */
export function skillText({ files, moreFiles, text, ...skill }: SkillDetail): string {
  const lines = [
    ["name", skill.name],
    ["from", `${skill.source}: ${skill.location}`],
    ["version", skill.version],
    ["state", skill.eligible ? "may be used" : `left out: ${skill.reason ?? ""}`],
    ["prompt", skill.cut && `not listed: ${skill.cut}`],
    ["command", skill.command && `/${skill.command}`],
    ["needs", skill.compatibility],
    ["license", skill.license],
    ["homepage", skill.homepage],
    ["variables", skill.env?.map(({ name, set }) => `${name}${set ? "" : " (not set)"}`).join(", ")],
    ["about", skill.description],
    ...(skill.warnings ?? []).map((warning) => ["!", warning] as const),
  ];
  const told = lines.flatMap(([label, value]) => (value ? [`${label?.padEnd(10)} ${oneLine(value)}`] : []));
  const listed = files.map(({ path, size }) => [oneLine(path), `${size} bytes`]);
  const more = moreFiles > 0 ? [`… and ${moreFiles} more`] : [];
  return [...told, "", table(listed), ...more, ...(text === undefined ? [] : ["", printable(text)])].join("\n");
}

/** What a look at every file of an installed skill has found. Pure. */
export function verificationText({ name, ok, seen, files }: SkillVerification): string {
  const wrong = files.filter(({ status }) => status !== "ok");
  const lines = wrong.map(({ path, status }) => `✗ ${oneLine(path)}: ${status}`);
  const told = ok
    ? `${name} is as it was installed: ${fileCountText(files.length)}.`
    : `${name} is not as it was installed.`;
  const mend = [
    "Look at what has changed.",
    `To take it as it is: accept ${oneLine(name)} --seen ${oneLine(seen)}`,
    "To have it as it was: install --replace",
  ];
  return [...lines, told, ...(ok ? [] : mend)].join("\n");
}

/** What became of a skill. Pure. */
export function changeText({ name, version, outcome, location, signature, fileCount, notes }: SkillChange): string {
  return [
    `${oneLine(name)} ${oneLine(version)}: ${OUTCOMES[outcome]}.`,
    ...(outcome === "removed"
      ? []
      : [`${fileCountText(fileCount)}, ${oneLine(location)}, ${signatureText(signature)}.`]),
    ...notes.map((note) => `! ${oneLine(note)}`),
  ].join("\n");
}

const OUTCOMES: Readonly<Record<SkillChange["outcome"], string>> = {
  installed: "installed",
  updated: "updated",
  current: "nothing is new",
  removed: "removed",
  accepted: "accepted as it is",
};

function signatureText({ kind, keyId }: SkillChange["signature"]): string {
  if (kind === "unsigned") return "not signed";
  return kind === "trusted" ? `signed by the trusted key ${keyId}` : "signed by a key that is not trusted";
}

function fileCountText(files: number): string {
  return files === 1 ? "1 file" : `${files} files`;
}

function short(description: string): string {
  const line = oneLine(description);
  return line.length <= MAX_DESCRIPTION ? line : `${line.slice(0, MAX_DESCRIPTION - 1).trimEnd()}…`;
}
