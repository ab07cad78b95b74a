import type { Operations } from "./operations.ts";

/**
 * Cloudflare's list prices on the Workers Paid plan in US dollars, beyond what is included, as of November 2026:
 * developers.cloudflare.com/workers/platform/pricing, /durable-objects/platform/pricing, /d1/platform/pricing,
 * /r2/pricing.
 */
export const LIST_PRICES = {
  workerRequest: 0.3e-6,
  workerCpuMs: 0.02e-6,
  objectRequest: 0.15e-6,
  /** A gigabyte of memory for a second. An object is billed for 128 MB. */
  objectGbSecond: 12.5e-6,
  rowRead: 0.001e-6,
  rowWritten: 1e-6,
  r2Write: 4.5e-6,
  r2Read: 0.36e-6,
} as const;

const OBJECT_GB = 0.128;

/**
 * What a run's operations cost at list prices, in US dollars, with the request that started it: without the Worker's CPU
 * time, which it cannot see, and without its models.
 */
export function operationsUsd(used: Operations): number {
  const { workerRequest, objectRequest, objectGbSecond, rowRead, rowWritten, r2Write, r2Read } = LIST_PRICES;
  return (
    workerRequest +
    objectRequest +
    (used.objectMs / 1000) * OBJECT_GB * objectGbSecond +
    (used.rowsRead + used.d1RowsRead) * rowRead +
    (used.rowsWritten + used.d1RowsWritten) * rowWritten +
    used.r2Writes * r2Write +
    used.r2Reads * r2Read
  );
}
