/** How far a field has come: `planned` is accepted and does nothing yet; `unused` is accepted and has no use here. */
export type FieldStatus = "planned" | "unused";

/** The metadata of a field besides type, default and bounds. A type alias because zod requires an index signature. */
export type FieldMarks = {
  description: string;
  status?: FieldStatus;
  /** Present where the agent may write the field with the gateway tool; every other field is refused. */
  agentMayWrite?: true;
};

/** Marks a field that is accepted and does nothing yet. The schema look-up and the doctor report it. */
export function planned(description: string): FieldMarks {
  return { description, status: "planned" };
}

/** Marks a field of OpenClaw that is accepted and has no use here. */
export function unused(description: string): FieldMarks {
  return { description, status: "unused" };
}

/**
 * Marks a field of style or convenience that the agent may write. The mark covers this field alone: every field below
 * it needs its own, and so does an entry that is an object.
 */
export function agentMayWrite(marks: string | FieldMarks): FieldMarks {
  return { ...(typeof marks === "string" ? { description: marks } : marks), agentMayWrite: true };
}
