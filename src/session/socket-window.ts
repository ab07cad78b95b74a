/** Most frames, and about how many characters, that are on their way to a client. One frame may go beyond it. */
export const WINDOW = { frames: 64, chars: 262_144 };
/** How long a window may stay full, in milliseconds. */
const PATIENCE_MS = 30_000;

/** How far a client is. Small enough for what a hibernating socket keeps. */
export interface SendWindow {
  /** Number of the last event that was sent. */
  cursor: number;
  /** Frames that are not acknowledged, oldest first. */
  inFlight: FrameMark[];
  /** Since when it is full, in milliseconds since the epoch. */
  fullSince?: number;
}

/** A frame that was sent: the number of its last event, and its length. */
export interface FrameMark {
  seq: number;
  chars: number;
}

/** A window that begins after an event. */
export function windowAfter(cursor: number): SendWindow {
  return { cursor, inFlight: [] };
}

/** Whether another frame may be sent. */
export function hasRoom({ inFlight }: SendWindow): boolean {
  return inFlight.length < WINDOW.frames && inFlight.reduce((chars, mark) => chars + mark.chars, 0) < WINDOW.chars;
}

/** A frame was sent. */
export function sent(window: SendWindow, mark: FrameMark, now: number): SendWindow {
  const next = { cursor: mark.seq, inFlight: [...window.inFlight, mark] };
  return hasRoom(next) ? next : { ...next, fullSince: now };
}

/** Everything up to an event was received. */
export function acknowledged({ cursor, inFlight, fullSince }: SendWindow, seq: number): SendWindow {
  const next = { cursor, inFlight: inFlight.filter((mark) => mark.seq > seq) };
  return fullSince === undefined || hasRoom(next) ? next : { ...next, fullSince };
}

/** Whether the client had its time and did not make room. */
export function isStuck({ fullSince }: SendWindow, now: number): boolean {
  return fullSince !== undefined && now - fullSince > PATIENCE_MS;
}
