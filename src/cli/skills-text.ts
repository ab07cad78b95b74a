import type { SkillChange, SkillDetail, SkillReport, SkillVerification } from "../client/wire.ts";
import { oneLine, printable, table } from "./terminal-text.ts";

/** Longest description in a table, in characters. */
const MAX_DESCRIPTION = 60;

/** An agent's skills as a table for a terminal: eligible ones first, then the rest with the reason. Pure. */
export function skillsText({ agent, skills, totals, warnings }: SkillReport): string {
  const usable = skills.filter(({ eligible }) => eligible);
  const ineligible = skills.filter(({ eligible }) => !eligible);
  const rows = usable.map((skill) => {
    const command = commandText(skill) ?? "";
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
    ...ineligible.flatMap(({ name, source, reason = "" }) => [
      `✗ ${oneLine(name)} (${source})`,
      `  → ${oneLine(reason)}`,
    ]),
    ...(ineligible.length === 0 ? [] : [""]),
    ...warnings.map((warning) => `! ${oneLine(warning)}`),
    ...cutText(usable),
    `${agent}: ${totals.found} found, ${totals.eligible} eligible, ${totals.shown} in the prompt (about ${totals.tokens} tokens).`,
  ].join("\n");
}

/** The slash command of a skill, and the tool that it goes straight to. */
function commandText({ command, commandTool }: Partial<SkillReport["skills"][number]>): string | undefined {
  if (command === undefined) return undefined;
  return commandTool === undefined ? `/${command}` : `/${command} → ${commandTool}`;
}

/** Why some eligible skills are not in the prompt, usually because of one limit. */
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
    ["state", skill.eligible ? "eligible" : `not eligible: ${skill.reason ?? ""}`],
    ["prompt", skill.cut && `not listed: ${skill.cut}`],
    ["command", commandText(skill)],
    ["needs", skill.compatibility],
    ["license", skill.license],
    ["homepage", skill.homepage],
    ["variables", skill.env?.map(({ name, set }) => `${name}${set ? "" : " (not set)"}`).join(", ")],
    ["about", skill.description],
    ...(skill.warnings ?? []).map((warning) => ["!", warning] as const),
  ];
  const summary = lines.flatMap(([label, value]) => (value ? [`${label?.padEnd(10)} ${oneLine(value)}`] : []));
  const listed = files.map(({ path, size }) => [oneLine(path), `${size} bytes`]);
  const more = moreFiles > 0 ? [`… and ${moreFiles} more`] : [];
  return [...summary, "", table(listed), ...more, ...(text === undefined ? [] : ["", printable(text)])].join("\n");
}

/** The result of verifying every file of an installed skill. Pure. */
export function verificationText({ name, ok, seen, files }: SkillVerification): string {
  const wrong = files.filter(({ status }) => status !== "ok");
  const lines = wrong.map(({ path, status }) => `✗ ${oneLine(path)}: ${status}`);
  const summary = ok
    ? `${name} is unchanged since it was installed: ${fileCountText(files.length)}.`
    : `${name} has changed since it was installed.`;
  const hints = [
    "Review the changes.",
    `To accept the changes: accept ${oneLine(name)} --seen ${oneLine(seen)}`,
    "To restore it: install --replace",
  ];
  return [...lines, summary, ...(ok ? [] : hints)].join("\n");
}

/** The result of an install, update, removal or acceptance. Pure. */
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
  current: "already up to date",
  removed: "removed",
  accepted: "accepted with its changes",
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
