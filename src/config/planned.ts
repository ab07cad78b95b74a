/** How far a field has come: `planned` is accepted and does nothing yet; `unused` is accepted and has no use here. */
export type FieldStatus = "planned" | "unused";

/** The sentence of a field that is accepted and does nothing yet. The look-up and the doctor say so. */
export function planned(sentence: string): { description: string; status: FieldStatus } {
  return { description: sentence, status: "planned" };
}

/** The sentence of a field that OpenClaw has, and that is accepted and has no use here. */
export function unused(sentence: string): { description: string; status: FieldStatus } {
  return { description: sentence, status: "unused" };
}
