import type { Store } from "./store.ts";

/** How often each database was written to, as far as reads have to know. */
const writes = new WeakMap<Store, number>();

/** Whatever was remembered of a database may be wrong now: it is being written to, or a write was taken back. */
export function outdate(store: Store): void {
  writes.set(store, (writes.get(store) ?? 0) + 1);
}

/**
 * A read that is made once between two writes: a turn asks dozens of times what is due, and little changes meanwhile.
 * Nobody may change what it gives. What another incarnation writes is not seen; before anything is written, the fence
 * looks for that itself.
 */
export function remembered<Result>(read: (store: Store) => Result): (store: Store) => Result {
  const known = new WeakMap<Store, { at: number; result: Result }>();
  return (store) => {
    const at = writes.get(store) ?? 0;
    const last = known.get(store);
    if (last?.at === at) return last.result;
    const result = read(store);
    known.set(store, { at, result });
    return result;
  };
}
