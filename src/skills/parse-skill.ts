import { digestOf } from "../lib/digest.ts";
import { head } from "../lib/text.ts";
import { showControls } from "../workspace/decode-text.ts";
import { escapingReferences } from "./escaping-references.ts";
import { readSkillText, type SkillReading } from "./read-skill.ts";
import type { LeftOut, Skill, SkillSource } from "./skill.ts";

/** Where a SKILL.md was found. */
export interface SkillLocation {
  source: SkillSource;
  location: string;
  baseDir: string;
  etag: string;
  /** The name of its folder: the skill's name if its file has none. */
  folder: string;
}

/** A parsed SKILL.md, or why it cannot be used. */
export type ParsedSkill =
  | { kind: "skill"; skill: Skill; text: string; issues: string[] }
  | { kind: "invalid"; leftOut: LeftOut };

/** Longest name and description; longer ones are cut. */
const MAX_NAME_CHARS = 200;
const MAX_DESCRIPTION_CHARS = 8_192;
const MAX_FIELD_CHARS = 500;
const MAX_TOOLS = 100;
const VERSION_HEX_DIGITS = 16;
/** The name format of https://agentskills.io/specification. */
const SPEC_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const SPEC_NAME_CHARS = 64;

/**
 * Parses the bytes of a SKILL.md into a skill, its text, and sentences about problems that do not prevent its use.
 * Never throws: a file that cannot be used is returned with the reason.
 */
export async function parseSkillFile(bytes: Uint8Array, at: SkillLocation): Promise<ParsedSkill> {
  const invalid = (code: string, reason: string): ParsedSkill => ({
    kind: "invalid",
    leftOut: leftOutAt(at, code, reason),
  });
  try {
    if (isUtf16(bytes)) return invalid("not_text", "Its SKILL.md is UTF-16. Save it as UTF-8.");
    const text = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(bytes);
    const reading = readSkillText(text);
    if (reading.kind === "broken") {
      const hint = 'Put quotes around values that have ": " in them, and indent lists and mappings by two spaces.';
      return invalid("bad_front_matter", `Its front matter cannot be read: ${reading.message}. ${hint}`);
    }
    const name = reading.name ?? at.folder.trim();
    if (reading.description === undefined) {
      const [code, reason] = withoutDescription(reading);
      return { kind: "invalid", leftOut: { ...leftOutAt(at, code, reason), name: displayText(name, MAX_NAME_CHARS) } };
    }
    if (name === "") return invalid("no_name", "It has no name. Add `name:` to its front matter.");
    const skill = await buildSkill(reading, { name, description: reading.description }, bytes, at);
    return { kind: "skill", skill, text, issues: skillIssues(reading, name, text) };
  } catch (thrown) {
    return invalid("bad_front_matter", `Its SKILL.md cannot be read: ${displayText(String(thrown))}`);
  }
}

/** A record of a location that is not used. */
export function leftOutAt(
  at: Pick<SkillLocation, "source" | "location" | "folder">,
  code: string,
  reason: string,
): LeftOut {
  return { name: displayText(at.folder), source: at.source, location: at.location, code, reason };
}

function withoutDescription({ hasFrontMatter }: SkillReading): [code: string, reason: string] {
  return hasFrontMatter
    ? [
        "no_description",
        "It has no description. Add `description:` to its front matter: what it does, and when to use it.",
      ]
    : [
        "no_front_matter",
        "It has no front matter. Begin it with `---`, `name: …`, `description: …` and `---`, a line each.",
      ];
}

async function buildSkill(
  reading: SkillReading,
  { name, description }: { name: string; description: string },
  bytes: Uint8Array,
  { source, location, baseDir, etag }: SkillLocation,
): Promise<Skill> {
  const { metadata = {}, invocation, homepage, license, compatibility, allowedTools } = reading;
  const digest = await digestOf("SHA-256", bytes);
  return {
    name: displayText(name, MAX_NAME_CHARS),
    description: displayText(description, MAX_DESCRIPTION_CHARS),
    source,
    location,
    baseDir,
    version: `sha256:${digest.slice(0, VERSION_HEX_DIGITS)}`,
    etag,
    size: bytes.length,
    metadata,
    invocation,
    ...(homepage !== undefined && { homepage: displayText(homepage) }),
    ...(license !== undefined && { license: displayText(license) }),
    ...(compatibility !== undefined && { compatibility: displayText(compatibility) }),
    ...(allowedTools !== undefined && {
      allowedTools: allowedTools.slice(0, MAX_TOOLS).map((tool) => displayText(tool)),
    }),
  };
}

function skillIssues({ issues, description = "" }: SkillReading, name: string, text: string): string[] {
  const found = [...issues];
  if (text.includes("\ufffd")) found.push("It has bytes that are no UTF-8, which are shown as �.");
  if (!SPEC_NAME.test(name) || name.length > SPEC_NAME_CHARS)
    found.push(
      `Its name is not as AgentSkills has names: lower-case letters, digits and single hyphens, ${SPEC_NAME_CHARS} at most.`,
    );
  if (description.length > MAX_DESCRIPTION_CHARS)
    found.push(`Its description is longer than ${MAX_DESCRIPTION_CHARS} characters and is cut there.`);
  const escaping = escapingReferences(text);
  if (escaping.length > 0)
    found.push(`It refers to files outside of its folder: ${escaping.map((path) => `\`${path}\``).join(", ")}.`);
  return found;
}

/** A text for display: shortened, and without control characters. */
function displayText(text: string, max = MAX_FIELD_CHARS): string {
  return showControls(head(text, max));
}

function isUtf16([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}
