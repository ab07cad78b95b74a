/** Most unacknowledged frames and characters of a client. The last frame may exceed the characters. */
export const WINDOW = { frames: 64, chars: 262_144 };
/** How long a window may stay full, in milliseconds. */
const PATIENCE_MS = 30_000;

/** The flow-control state of a client. Small enough for a hibernating socket's attachment. */
export interface SendWindow {
  /** Number of the last event that was sent. */
  cursor: number;
  /** Unacknowledged frames, oldest first. */
  inFlight: FrameMark[];
  /** When the window became full, in milliseconds since the epoch. */
  fullSince?: number;
}

/** A frame that was sent: the number of its last event, and its length. */
export interface FrameMark {
  seq: number;
  chars: number;
}

/** An empty window after an event. */
export function windowAfter(cursor: number): SendWindow {
  return { cursor, inFlight: [] };
}

/** Whether another frame may be sent. */
export function hasRoom({ inFlight }: SendWindow): boolean {
  return inFlight.length < WINDOW.frames && inFlight.reduce((chars, mark) => chars + mark.chars, 0) < WINDOW.chars;
}

/** The window after a frame was sent. */
export function sent(window: SendWindow, mark: FrameMark, now: number): SendWindow {
  const next = { cursor: mark.seq, inFlight: [...window.inFlight, mark] };
  return hasRoom(next) ? next : { ...next, fullSince: now };
}

/** The window after the events up to a number were acknowledged. */
export function acknowledged({ cursor, inFlight, fullSince }: SendWindow, seq: number): SendWindow {
  const next = { cursor, inFlight: inFlight.filter((mark) => mark.seq > seq) };
  return fullSince === undefined || hasRoom(next) ? next : { ...next, fullSince };
}

/** Whether the window has been full for too long. */
export function isStuck({ fullSince }: SendWindow, now: number): boolean {
  return fullSince !== undefined && now - fullSince > PATIENCE_MS;
}
