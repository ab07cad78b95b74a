import JSON5 from "json5";
import { type InstallFault, installSpecs } from "./install-spec.ts";
import type { SkillMetadata, SkillRequirements } from "./skill.ts";
import { isObject, stringList } from "./string-list.ts";

/** The keys under which `metadata` has what is meant for us, the first that is there. */
const MANIFEST_KEYS = ["openclaw", "clawdbot"];

/** What `metadata` says to us, and sentences about what of it is not used. */
export interface Manifest {
  /** Undefined where it says nothing to us. */
  metadata: SkillMetadata | undefined;
  issues: readonly string[];
}

/** Reads `metadata` of a front matter: JSON, or JSON5 with comments, single quotes and trailing commas. Never throws. */
export function manifestOf(text: string | undefined): Manifest {
  if (text === undefined || text === "") return { metadata: undefined, issues: [] };
  const parsed = parse(text);
  if (parsed === undefined) return { metadata: undefined, issues: [UNREADABLE] };
  const block = isObject(parsed) ? MANIFEST_KEYS.map((key) => parsed[key]).find(isObject) : undefined;
  return block === undefined ? { metadata: undefined, issues: [] } : read(block);
}

const UNREADABLE =
  "Its `metadata` is neither JSON nor JSON5, so nothing in it counts. Write it as JSON on one line, or as an indented mapping.";

function read(block: Record<string, unknown>): Manifest {
  const { always, emoji, homepage, skillKey, primaryEnv } = block;
  const os = stringList(block.os);
  const requires = requirements(block.requires);
  const { specs, faults } = installSpecs(block.install);
  const metadata: SkillMetadata = {
    ...(typeof always === "boolean" && { always }),
    ...(typeof emoji === "string" && { emoji }),
    ...(typeof homepage === "string" && { homepage }),
    ...(typeof skillKey === "string" && skillKey !== "" && { skillKey }),
    ...(typeof primaryEnv === "string" && { primaryEnv }),
    ...(os.length > 0 && { os }),
    ...(requires && { requires }),
    ...(specs.length > 0 && { install: specs }),
  };
  return { metadata, issues: faults.map(faultText) };
}

function requirements(raw: unknown): SkillRequirements | undefined {
  if (!isObject(raw)) return undefined;
  return {
    bins: stringList(raw.bins),
    anyBins: stringList(raw.anyBins),
    env: stringList(raw.env),
    config: stringList(raw.config),
  };
}

function faultText({ at, why }: InstallFault): string {
  return `Entry ${at + 1} of \`install\` is left out: ${why}.`;
}

/** A value that is an object, or undefined where the text is none. `null` and plain values are none to us either. */
function parse(text: string): unknown {
  for (const parser of [JSON, JSON5]) {
    try {
      return parser.parse(text) ?? {};
    } catch (thrown) {
      // What JSON refuses goes on to JSON5; a nesting too deep for the stack is a RangeError, and nothing to us either.
      if (!(thrown instanceof SyntaxError || thrown instanceof RangeError)) throw thrown;
    }
  }
  return undefined;
}
