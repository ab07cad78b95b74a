import JSON5 from "json5";
import type { InstallSpec, SkillMetadata, SkillRequirements } from "./skill.ts";

/** The keys of our part of `metadata`; the first that is present counts. */
const MANIFEST_KEYS = ["openclaw", "clawdbot"];

/** The parsed `metadata`, and sentences about ignored parts. */
export interface ParsedMetadata {
  /** Undefined if it has no part for us. */
  metadata: SkillMetadata | undefined;
  issues: readonly string[];
}

/**
 * Parses the `metadata` field of front matter: JSON, or JSON5 with comments, single quotes and trailing commas. Never
 * throws.
 */
export function parseMetadata(text: string | undefined): ParsedMetadata {
  if (text === undefined || text === "") return { metadata: undefined, issues: [] };
  const parsed = parseJsonOrJson5(text);
  if (parsed === undefined) return { metadata: undefined, issues: [UNREADABLE] };
  const block = isObject(parsed) ? MANIFEST_KEYS.map((key) => parsed[key]).find(isObject) : undefined;
  return block === undefined ? { metadata: undefined, issues: [] } : readMetadata(block);
}

const UNREADABLE =
  "Its `metadata` is neither JSON nor JSON5, so nothing in it counts. Write it as JSON on one line, or as an indented mapping.";

function readMetadata(block: Record<string, unknown>): ParsedMetadata {
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

/** The parsed value, or undefined if the text is neither JSON nor JSON5. `null` becomes an empty object. */
function parseJsonOrJson5(text: string): unknown {
  for (const parser of [JSON, JSON5]) {
    try {
      return parser.parse(text) ?? {};
    } catch (thrown) {
      // A text that JSON refuses is tried as JSON5; nesting beyond the stack is a RangeError, and counts as invalid.
      if (!(thrown instanceof SyntaxError || thrown instanceof RangeError)) throw thrown;
    }
  }
  return undefined;
}

/** Why an entry of `install` is ignored. */
export interface InstallFault {
  /** Its index in the list. */
  at: number;
  /** The end of a sentence. */
  why: string;
}

/** The required field of each kind. */
const TARGET = { brew: "formula", node: "package", go: "module", uv: "package", download: "url" } as const;

const FORMULA = /^[A-Za-z0-9][A-Za-z0-9@+._/-]*$/;
const MODULE = /^[A-Za-z0-9][\w.~+/-]*(?:@[A-Za-z0-9][\w.~+/-]*)?$/;
const UV_PACKAGE = /^[A-Za-z0-9][\w.\-[\]=<>!~+,]*$/;
const SHA256 = /^[a-f0-9]{64}$/;

/** Parses `install`: entries that are safe to show as commands, and why others are ignored. */
function installSpecs(raw: unknown): { specs: InstallSpec[]; faults: InstallFault[] } {
  const specs: InstallSpec[] = [];
  const faults: InstallFault[] = [];
  const entries: unknown[] = Array.isArray(raw) ? raw : [];
  entries.forEach((entry, at) => {
    const read = installSpec(entry);
    if (typeof read === "string") faults.push({ at, why: read });
    else specs.push(read);
  });
  return { specs, faults };
}

/** Parses one entry; a string is the end of a sentence about what is wrong. */
function installSpec(raw: unknown): InstallSpec | string {
  if (!isObject(raw)) return "it is no mapping";
  const kind = installKind(raw);
  if (kind === undefined) return `its \`kind\` is none of ${Object.keys(TARGET).join(", ")}`;
  const sha256 = kind === "download" ? checksum(raw.sha256) : undefined;
  if (sha256 === null) return "its `sha256` is not 64 hex digits";
  const spec = { ...common(raw, kind), ...targets(raw, kind), ...(sha256 !== undefined && { sha256 }), ...extras(raw) };
  const target = TARGET[kind];
  return (spec as InstallSpec)[target] === undefined ? `it has no usable \`${target}\`` : spec;
}

function installKind({ kind, type }: Record<string, unknown>): InstallSpec["kind"] | undefined {
  const named = trimmed(typeof kind === "string" ? kind : type)?.toLowerCase();
  return named !== undefined && Object.hasOwn(TARGET, named) ? (named as InstallSpec["kind"]) : undefined;
}

function common({ id, label, ...raw }: Record<string, unknown>, kind: InstallSpec["kind"]): InstallSpec {
  const [bins, os] = [stringList(raw.bins), stringList(raw.os)];
  return {
    kind,
    ...(typeof id === "string" && id !== "" && { id }),
    ...(typeof label === "string" && label !== "" && { label }),
    ...(bins.length > 0 && { bins }),
    ...(os.length > 0 && { os }),
  };
}

/** The install targets, without those that a package manager could read as an option or another source. */
function targets(raw: Record<string, unknown>, kind: InstallSpec["kind"]) {
  const formula = brewFormula(raw.formula) ?? brewFormula(raw.cask);
  const pack =
    kind === "node" ? npmPackage(raw.package) : kind === "uv" ? matchingText(raw.package, UV_PACKAGE) : undefined;
  const module = matchingText(raw.module, MODULE);
  const url = downloadUrl(raw.url);
  return {
    ...(formula !== undefined && { formula }),
    ...(pack !== undefined && { package: pack }),
    ...(module !== undefined && { module }),
    ...(url !== undefined && { url }),
  };
}

function extras({ archive, extract, stripComponents, targetDir }: Record<string, unknown>) {
  return {
    ...(typeof archive === "string" && { archive }),
    ...(typeof extract === "boolean" && { extract }),
    ...(typeof stripComponents === "number" && { stripComponents }),
    ...(typeof targetDir === "string" && { targetDir }),
  };
}

function brewFormula(raw: unknown): string | undefined {
  const formula = matchingText(raw, FORMULA);
  return formula?.includes("..") ? undefined : formula;
}

function npmPackage(raw: unknown): string | undefined {
  const spec = trimmed(raw);
  return spec !== undefined && isRegistrySpec(spec) ? spec : undefined;
}

function matchingText(raw: unknown, pattern: RegExp): string | undefined {
  const text = trimmed(raw);
  return text !== undefined && pattern.test(text) ? text : undefined;
}

function downloadUrl(raw: unknown): string | undefined {
  const text = trimmed(raw);
  if (text === undefined || /\s/.test(text)) return undefined;
  const url = URL.parse(text);
  return url?.protocol === "http:" || url?.protocol === "https:" ? url.href : undefined;
}

/** A SHA-256 in hex; `null` if a value is present but is not a digest. */
function checksum(raw: unknown): string | null | undefined {
  if (raw === undefined) return undefined;
  const digest = trimmed(raw)?.toLowerCase() ?? "";
  return SHA256.test(digest) ? digest : null;
}

const NAME = /^[a-z0-9][a-z0-9-._~]*$/;
const SCOPED_NAME = /^@[a-z0-9][a-z0-9-._~]*\/[a-z0-9][a-z0-9-._~]*$/;
const TAG = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
/** A version with build metadata (https://semver.org): the only kind of version that does not match `TAG`. */
const BUILD =
  /^v?(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-(?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*))*)?\+[\dA-Za-z-]+(?:\.[\dA-Za-z-]+)*$/;
const MAX_VERSION_CHARS = 256;

/**
 * Whether a text names a package of npm's registry, optionally with an exact version or tag. URLs, paths, aliases and
 * ranges are not accepted.
 */
function isRegistrySpec(spec: string): boolean {
  const at = spec.lastIndexOf("@");
  const name = at > 0 ? spec.slice(0, at) : spec;
  const version = at > 0 ? spec.slice(at + 1) : undefined;
  if (!(name.startsWith("@") ? SCOPED_NAME : NAME).test(name)) return false;
  return version === undefined || TAG.test(version) || (version.length <= MAX_VERSION_CHARS && BUILD.test(version));
}

/** Whether a value is an object; a list is one. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/**
 * Reads a list of strings as authors write it: a list, whose entries are converted to strings, or one string with
 * commas. Blank entries are dropped.
 */
function stringList(raw: unknown): string[] {
  const entries = Array.isArray(raw) ? raw.map(entryText) : typeof raw === "string" ? raw.split(",") : [];
  return entries.map((entry) => entry.trim()).filter((entry) => entry !== "");
}

/** A trimmed string; undefined if it is blank or not a string. */
export function trimmed(raw: unknown): string | undefined {
  const text = typeof raw === "string" ? raw.trim() : "";
  return text === "" ? undefined : text;
}

function entryText(entry: unknown): string {
  try {
    return String(entry);
  } catch (thrown) {
    // A mapping with a `toString` field, or lists nested deeper than the stack, cannot be converted.
    if (thrown instanceof TypeError || thrown instanceof RangeError) return "[object Object]";
    throw thrown;
  }
}
