import { z } from "zod";
import { nearestOf } from "../lib/nearest.ts";
import { fieldPath } from "./field-path.ts";

/** Most faults of one answer. */
const MAX_FAULTS = 100;

/** One fault of a configuration document. */
export interface Fault {
  /** The field, as `fieldPath` writes it. */
  path: string;
  message: string;
}

/** A document with its defaults applied, or its faults. */
export type Checked<Config> = { kind: "valid"; config: Config } | { kind: "invalid"; faults: Fault[] };

/** Checks a document against the schema. The fault of an unknown name suggests the nearest known one. */
export function checkConfig<Schema extends z.ZodType>(schema: Schema, document: unknown): Checked<z.output<Schema>> {
  const parsed = schema.safeParse(document, { error: nameNearest });
  if (parsed.success) return { kind: "valid", config: parsed.data };
  const faults = parsed.error.issues.flatMap((issue) => faultsIn(issue, []));
  return { kind: "invalid", faults: faults.slice(0, MAX_FAULTS) };
}

/** Faults as lines of text. */
export function faultLines(faults: readonly Fault[]): string {
  return faults.map(({ path, message }) => `- ${path}: ${message}`).join("\n");
}

function faultsIn(issue: z.core.$ZodIssue, above: readonly PropertyKey[]): Fault[] {
  const path = [...above, ...issue.path];
  const meant = issue.code === "invalid_union" ? branchMeant(issue.errors) : undefined;
  if (meant !== undefined) return meant.flatMap((inner) => faultsIn(inner, path));
  const [key, ...more] = issue.code === "unrecognized_keys" ? issue.keys : [];
  const place = key !== undefined && more.length === 0 ? [...path, key] : path;
  return [{ path: fieldPath(place), message: issue.message }];
}

/** The branch of a union whose type the value has, so that its fault is deeper. */
function branchMeant(branches: readonly z.core.$ZodIssue[][]): z.core.$ZodIssue[] | undefined {
  return branches.find((issues) => !issues.some(({ code, path }) => code === "invalid_type" && path.length === 0));
}

function nameNearest(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== "unrecognized_keys") return undefined;
  const known = issue.inst instanceof z.ZodObject ? Object.keys(issue.inst.shape) : [];
  return issue.keys.map((key) => unknownKey(key, known)).join("; ");
}

function unknownKey(key: string, known: readonly string[]): string {
  const [meant] = nearestOf(key, known, 1);
  if (meant !== undefined) return `'${key}' is not known; did you mean '${meant}'?`;
  return `'${key}' is not known; there is: ${known.join(", ") || "nothing"}`;
}
