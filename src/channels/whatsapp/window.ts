/** How long a refusal counts: the message is sent again at once, and a person who resends it has written meanwhile. */
const COUNTS_MS = 30_000;

/** The `via` of a message that WhatsApp did not deliver because its receiver has not written for 24 hours. */
export function closedAt(now: number): string {
  return `closed at ${now}`;
}

/** Whether a message is known not to arrive except as a template. */
export function isKnownClosed(via: string | undefined, now: number): boolean {
  const at = /^closed at (\d+)$/.exec(via ?? "")?.[1];
  return at !== undefined && now - Number(at) < COUNTS_MS;
}
