import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ApiError } from "../client/http.ts";
import { texts } from "./language.ts";

/** Something that is done at a person's word: whether it is under way, and why it failed. */
export interface Action {
  busy: boolean;
  trouble: string | undefined;
  /** Does it, unless something is under way already. Never rejects but for faults of the page itself. */
  run(work: () => Promise<void>): Promise<void>;
}

/** One thing at a time, with its trouble told in words. */
export function useAction(): Action {
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<string>();
  async function run(work: () => Promise<void>) {
    if (busy) return;
    setBusy(true);
    setTrouble(undefined);
    try {
      await work();
    } catch (error) {
      setTrouble(errorText(error));
    } finally {
      setBusy(false);
    }
  }
  return { busy, trouble, run };
}

/** What to tell a person of a refusal. @throws what is none */
export function errorText(error: unknown): string {
  if (!(error instanceof ApiError)) throw error;
  if (error.status === 0) return texts.unreachable;
  return error.hint === undefined ? error.message : `${error.message} ${error.hint}`;
}

/** Puts the cursor into a field when it appears, except where that would raise an on-screen keyboard. */
export function useFocus(field: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    if (matchMedia("(pointer: fine)").matches) field.current?.focus();
  }, [field]);
}
