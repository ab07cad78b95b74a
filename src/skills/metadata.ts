import JSON5 from "json5";
import type { InstallSpec, SkillMetadata, SkillRequirements } from "./skill.ts";

/** The keys under which `metadata` has what is meant for us, the first that is there. */
const MANIFEST_KEYS = ["openclaw", "clawdbot"];

/** What `metadata` says to us, and sentences about what of it is not used. */
export interface ParsedMetadata {
  /** Undefined where it says nothing to us. */
  metadata: SkillMetadata | undefined;
  issues: readonly string[];
}

/** Reads `metadata` of a front matter: JSON, or JSON5 with comments, single quotes and trailing commas. Never throws. */
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

/** A value that is an object, or undefined where the text is none. `null` and plain values are none to us either. */
function parseJsonOrJson5(text: string): unknown {
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

/** Why an entry of `install` is left out. */
export interface InstallFault {
  /** Its place in the list, from 0. */
  at: number;
  /** The end of a sentence. */
  why: string;
}

/** The field without which an entry of a kind means nothing. */
const TARGET = { brew: "formula", node: "package", go: "module", uv: "package", download: "url" } as const;

const FORMULA = /^[A-Za-z0-9][A-Za-z0-9@+._/-]*$/;
const MODULE = /^[A-Za-z0-9][\w.~+/-]*(?:@[A-Za-z0-9][\w.~+/-]*)?$/;
const UV_PACKAGE = /^[A-Za-z0-9][\w.\-[\]=<>!~+,]*$/;
const SHA256 = /^[a-f0-9]{64}$/;

/** Reads `install`: entries that are safe to show as commands, and why others are not among them. */
export function installSpecs(raw: unknown): { specs: InstallSpec[]; faults: InstallFault[] } {
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

/** One entry, or the end of a sentence that says why it is none. */
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

/** What there is to install, where it cannot be read as an option or another place by a package manager. */
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

/** `null` where something is there and is no digest. */
function checksum(raw: unknown): string | null | undefined {
  if (raw === undefined) return undefined;
  const digest = trimmed(raw)?.toLowerCase() ?? "";
  return SHA256.test(digest) ? digest : null;
}

const NAME = /^[a-z0-9][a-z0-9-._~]*$/;
const SCOPED_NAME = /^@[a-z0-9][a-z0-9-._~]*\/[a-z0-9][a-z0-9-._~]*$/;
const TAG = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
/** A version with build metadata (https://semver.org): the one kind of version that does not look like a tag. */
const BUILD =
  /^v?(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-(?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*))*)?\+[\dA-Za-z-]+(?:\.[\dA-Za-z-]+)*$/;
const MAX_VERSION_CHARS = 256;

/** Whether a text names a package of npm's registry, with an exact version or a tag at most: no address, path, alias or range. */
export function isRegistrySpec(spec: string): boolean {
  const at = spec.lastIndexOf("@");
  const name = at > 0 ? spec.slice(0, at) : spec;
  const version = at > 0 ? spec.slice(at + 1) : undefined;
  if (!(name.startsWith("@") ? SCOPED_NAME : NAME).test(name)) return false;
  return version === undefined || TAG.test(version) || (version.length <= MAX_VERSION_CHARS && BUILD.test(version));
}

/** Whether a value has fields, a list being one. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** A list of texts as authors write one: a list, whose entries are made texts, or one text with commas. Blank ones are left out. */
export function stringList(raw: unknown): string[] {
  const entries = Array.isArray(raw) ? raw.map(entryText) : typeof raw === "string" ? raw.split(",") : [];
  return entries.map((entry) => entry.trim()).filter((entry) => entry !== "");
}

/** A text without the space around it; undefined where that is all, or where the value is no text. */
export function trimmed(raw: unknown): string | undefined {
  const text = typeof raw === "string" ? raw.trim() : "";
  return text === "" ? undefined : text;
}

function entryText(entry: unknown): string {
  try {
    return String(entry);
  } catch (thrown) {
    // A mapping with a field `toString`, or lists in lists deeper than the stack: none has a text.
    if (thrown instanceof TypeError || thrown instanceof RangeError) return "[object Object]";
    throw thrown;
  }
}
