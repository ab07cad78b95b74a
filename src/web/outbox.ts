/** A message that is stored until the server has accepted it. */
export interface Unsent {
  idempotencyKey: string;
  text: string;
  /** When the person sent it, in milliseconds since the epoch. */
  at: number;
}

/** The part of the browser's `Storage` that is needed. */
export type TextStore = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

/** Stores unsent messages and the draft across reloads. */
export interface Outbox {
  /** The unsent messages, oldest first. */
  unsent(): Unsent[];
  keep(message: Unsent): void;
  drop(idempotencyKey: string): void;
  readDraft(): string;
  writeDraft(text: string): void;
}

/** Opens the outbox of a session. Each message has its own item, so two windows never overwrite one. */
export function openOutbox(store: TextStore, sessionKey: string): Outbox {
  const prefix = `isopod.unsent.${sessionKey}.`;
  const draftKey = `isopod.draft.${sessionKey}`;
  return {
    unsent: () =>
      Array.from({ length: store.length }, (_, index) => store.key(index))
        .filter((key) => key?.startsWith(prefix))
        .map((key) => JSON.parse(store.getItem(key ?? "") ?? "null"))
        .filter(isUnsent)
        .sort((a, b) => a.at - b.at),
    keep: (message) => store.setItem(prefix + message.idempotencyKey, JSON.stringify(message)),
    drop: (idempotencyKey) => store.removeItem(prefix + idempotencyKey),
    readDraft: () => store.getItem(draftKey) ?? "",
    writeDraft: (text) => (text === "" ? store.removeItem(draftKey) : store.setItem(draftKey, text)),
  };
}

function isUnsent(value: unknown): value is Unsent {
  return (
    typeof value === "object" &&
    value !== null &&
    "idempotencyKey" in value &&
    typeof value.idempotencyKey === "string" &&
    "text" in value &&
    typeof value.text === "string" &&
    "at" in value &&
    typeof value.at === "number"
  );
}
