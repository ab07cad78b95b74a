import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";

/** Puts the cursor into a field when it appears, except where that would raise an on-screen keyboard. */
export function useFocus(field: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    if (matchMedia("(pointer: fine)").matches) field.current?.focus();
  }, [field]);
}
