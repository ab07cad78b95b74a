/** The keys that may be pressed: those that do something, and write nothing. */
const CODES = {
  Enter: 13,
  Tab: 9,
  Escape: 27,
  ArrowUp: 38,
  ArrowDown: 40,
  PageUp: 33,
  PageDown: 34,
  End: 35,
} as const;

export type Key = keyof typeof CODES;

export const KEYS = Object.keys(CODES) as [Key, ...Key[]];

/** The events of a key that is pressed and let go, for `Input.dispatchKeyEvent`. Enter sends forms by its text. */
export function keyEvents(key: Key) {
  const event = { key, code: key, windowsVirtualKeyCode: CODES[key] };
  const down = key === "Enter" ? { type: "keyDown", text: "\r", ...event } : { type: "rawKeyDown", ...event };
  return [down, { type: "keyUp", ...event }];
}
