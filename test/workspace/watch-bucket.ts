/** What to do to some of the calls; a call reads `put <key>`, `get <key>`, `head <key>`, `delete <key>` or `list`. */
export interface Fault {
  /** The call fails without having reached R2. */
  before?(call: string): Error | false;
  /** The call took effect and its answer is lost. */
  after?(call: string): Error | false;
  /** The call waits for this first. */
  hold?(call: string): Promise<void> | undefined;
  /** Keys that a page of a listing has; R2's own is 1,000. */
  pageSize?: number;
}

/** The same bucket, with a record of the calls made and, where wanted, faults. */
export function watchBucket(real: R2Bucket, fault: Fault = {}): { bucket: R2Bucket; calls: string[] } {
  const calls: string[] = [];
  const verbs = ["head", "get", "put", "delete", "list"] as const;
  const wrapped = Object.fromEntries(
    verbs.map((verb) => [
      verb,
      async (...args: unknown[]) => {
        const call = verb === "list" ? verb : `${verb} ${String(args[0])}`;
        calls.push(call);
        await fault.hold?.(call);
        const early = fault.before?.(call);
        if (early) throw early;
        if (verb === "list" && fault.pageSize !== undefined)
          args[0] = { ...(args[0] as object), limit: fault.pageSize };
        const answer = await (real[verb] as (...args: unknown[]) => Promise<unknown>)(...args);
        const late = fault.after?.(call);
        if (late) throw late;
        return answer;
      },
    ]),
  );
  return { bucket: wrapped as unknown as R2Bucket, calls };
}
