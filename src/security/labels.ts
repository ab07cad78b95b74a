/**
 * Where words come from that are not the owner's: a person, a host, or a file whose labels are no longer known; and,
 * under `security.injection.action: strip-tools`, the pattern of injections that they look like.
 */
export type Label = `stranger:${string}` | `host:${string}` | `file:${string}` | InjectionLabel;
type InjectionLabel = `injection:${string}`;

/** Most labels of one value; what comes from more places has the label `host:*` for the rest. */
const MAX_LABELS = 12;
const MAX_LABEL_CHARS = 120;
const MANY: Label = "host:*";

/** Whether a text is a label. */
export function isLabel(text: unknown): text is Label {
  return (
    typeof text === "string" &&
    text.length <= MAX_LABEL_CHARS &&
    /^(?:stranger|host|file|injection):[^\s,]+$/.test(text)
  );
}

/** The label of a person who is not an owner. @param id such as `telegram:3003` */
export function strangerLabel(id: string): Label {
  return `stranger:${labelPart(id)}`;
}

/** The label of an answer of a host. */
export function hostLabel(host: string): Label {
  return `host:${labelPart(host.toLowerCase())}`;
}

/** The label of a file that was labelled. */
export function fileLabel(path: string): Label {
  return `file:${labelPart(path)}`;
}

/** The mark of words that look like a prompt injection. */
export function injectionLabel(pattern: string): Label {
  return `injection:${labelPart(pattern)}`;
}

/** Whether words with these labels looked like a prompt injection when they came in. */
export function hasInjection(labels: readonly Label[]): boolean {
  return labels.some(isInjection);
}

function isInjection(label: Label): label is InjectionLabel {
  return label.startsWith("injection:");
}

function labelPart(value: string): string {
  return value.replace(/[\s,\p{C}]+/gu, "_").slice(0, MAX_LABEL_CHARS - "stranger:".length) || "_";
}

/** The labels of several values together: each once, sorted, bounded. */
export function joinLabels(...lists: readonly (readonly Label[] | undefined)[]): readonly Label[] {
  const all = new Set(lists.flatMap((list) => list ?? []));
  if (all.size <= 1) return [...all];
  // Marks of injections come first, so that none is left out.
  const sorted = [...all].sort((a, b) => Number(isInjection(b)) - Number(isInjection(a)) || (a < b ? -1 : 1));
  return sorted.length <= MAX_LABELS ? sorted : [...new Set([...sorted.slice(0, MAX_LABELS - 1), MANY])];
}

/** The places of labels as a person or model reads them: `example.org, telegram:3003`. */
export function labelText(labels: readonly Label[]): string {
  const places = labels.filter((label) => !isInjection(label));
  return places.map((label) => label.slice(label.indexOf(":") + 1)).join(", ");
}
