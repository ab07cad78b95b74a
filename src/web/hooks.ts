import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ApiError } from "../client/http.ts";
import { texts } from "./language.ts";

/** The state of an action that a person started: whether it is under way, and why it failed. */
export interface Action {
  busy: boolean;
  trouble: string | undefined;
  /** Runs the work, unless an action is under way. Rejects only for errors other than `ApiError`. */
  run(work: () => Promise<void>): Promise<void>;
}

/** Runs one action at a time and keeps its error message. */
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

/** The message of an `ApiError`, with its hint. @throws every other error */
export function errorText(error: unknown): string {
  if (!(error instanceof ApiError)) throw error;
  if (error.status === 0) return texts.unreachable;
  return error.hint === undefined ? error.message : `${error.message} ${error.hint}`;
}

/** Focuses a field when it appears, except where that would open an on-screen keyboard. */
export function useFocus(field: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    if (matchMedia("(pointer: fine)").matches) field.current?.focus();
  }, [field]);
}
