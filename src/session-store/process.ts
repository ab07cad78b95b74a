import type { Label } from "../security/labels.ts";
import type { AnnouncementTarget } from "./subagent.ts";

/** A command in the background. */
export interface Process {
  /** The beginning of its script. */
  command: string;
  startedAt: number;
  /** Where words come from that the agent had in view when it started the command. */
  labels?: readonly Label[];
  /** The run that its end wakes; undefined where its end wakes none. */
  announceTo?: AnnouncementTarget;
  phase: ProcessPhase;
}

export type ProcessPhase =
  | { status: "running" }
  /** It has come to its end; `text` is what `exec` would have answered. */
  | { status: "ended"; at: number; text: string; labels?: readonly Label[] }
  /** An agent or a person has stopped it, or its object has died with it. */
  | { status: "killed" | "interrupted"; at: number };
