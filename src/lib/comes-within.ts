/** Whether a promise resolves in time. Rejects as it does. */
export function comesWithin(ms: number, promise: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms, false);
    promise.then(() => resolve(true), reject).finally(() => clearTimeout(timer));
  });
}
