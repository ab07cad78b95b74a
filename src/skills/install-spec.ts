import { isRegistrySpec } from "./registry-spec.ts";
import type { InstallSpec } from "./skill.ts";
import { isObject, stringList, trimmed } from "./string-list.ts";

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
  const kind = kindOf(raw);
  if (kind === undefined) return `its \`kind\` is none of ${Object.keys(TARGET).join(", ")}`;
  const sha256 = kind === "download" ? checksum(raw.sha256) : undefined;
  if (sha256 === null) return "its `sha256` is not 64 hex digits";
  const spec = { ...common(raw, kind), ...targets(raw, kind), ...(sha256 !== undefined && { sha256 }), ...extras(raw) };
  const target = TARGET[kind];
  return (spec as InstallSpec)[target] === undefined ? `it has no usable \`${target}\`` : spec;
}

function kindOf({ kind, type }: Record<string, unknown>): InstallSpec["kind"] | undefined {
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
  const formula = formulaOf(raw.formula) ?? formulaOf(raw.cask);
  const pack =
    kind === "node" ? npmPackage(raw.package) : kind === "uv" ? matching(raw.package, UV_PACKAGE) : undefined;
  const module = matching(raw.module, MODULE);
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

function formulaOf(raw: unknown): string | undefined {
  const formula = matching(raw, FORMULA);
  return formula?.includes("..") ? undefined : formula;
}

function npmPackage(raw: unknown): string | undefined {
  const spec = trimmed(raw);
  return spec !== undefined && isRegistrySpec(spec) ? spec : undefined;
}

function matching(raw: unknown, pattern: RegExp): string | undefined {
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
