import type { AnyTool } from "../../agent/tool.ts";
import type { Wiring } from "../../services/services.ts";
import { readView } from "../../session-store/conversation-view.ts";
import { newestRun } from "../../session-store/runs.ts";
import type { SessionRow } from "../../session-store/session-row.ts";
import type { Store } from "../../session-store/store.ts";
import { speakerOf } from "../principal.ts";
import type { SessionSkills } from "../skills/session-skills.ts";
import { type Occasion, promptModeOf } from "../turn-context.ts";
import { type ContextReport, contextReport } from "./context-report.ts";

/** What reporting on a session needs of the object that it is in. */
export interface ContextRoom {
  store: Store;
  owner(): SessionRow;
  wiring(): Wiring;
  /** Tools of an owner's turn besides the built-in ones and those of plugins. */
  extraTools(): readonly AnyTool[];
  skills: Pick<SessionSkills, "lookOnly">;
  now(): number;
}

/** What the next request to a model would be made of in a session, on an occasion. */
export async function sessionContext(occasion: Occasion, room: ContextRoom): Promise<ContextReport> {
  const owner = room.owner();
  return contextReport(occasion, {
    agentId: owner.agentId,
    wiring: room.wiring(),
    extraTools: room.extraTools(),
    skills: { forTurn: (request) => room.skills.lookOnly(request) },
    messages: readView(room.store, owner).messages,
    now: room.now(),
  });
}

/**
 * The next turn of a session, if it is like its last one.
 * @param sender who speaks in it; whoever spoke last where that is absent, and an owner where nobody has
 */
export function nextOccasion({ store, owner }: ContextRoom, sender: "owner" | "other" | undefined): Occasion {
  const session = owner();
  const target = newestRun(store)?.target ?? null;
  const { messages } = readView(store, session);
  const last = speakerOf(messages, { target, sessionKey: session.key }, undefined);
  const isOwner = sender === undefined ? last.owner || messages.length === 0 : sender === "owner";
  return { session, speaker: { ...last, owner: isOwner }, target, mode: promptModeOf(session.key) };
}
