import { expect, test } from "vitest";
import { LIST_PRICES, operationsUsd } from "../../src/services/list-prices.ts";
import { OperationMeter } from "../../src/services/operations.ts";

const NONE = { rowsRead: 0, rowsWritten: 0, d1RowsRead: 0, d1RowsWritten: 0, d1Requests: 0, r2Writes: 0, r2Reads: 0 };

test("what is done from the acceptance of a run on belongs to it, until another one begins", () => {
  const meter = new OperationMeter();
  meter.add({ r2Reads: 5 });
  meter.accept(1000);
  meter.add({ r2Reads: 1 });
  meter.begin("a", 1010);
  meter.add({ d1Requests: 2, d1RowsRead: 3 });
  expect(meter.of("a", 1100)).toEqual({ ...NONE, r2Reads: 1, d1Requests: 2, d1RowsRead: 3, objectMs: 100 });
  meter.begin("b", 2000);
  expect(meter.of("a", 2000)).toBeUndefined();
  expect(meter.of("b", 2500)).toEqual({ ...NONE, objectMs: 500 });
});

test("rows are counted when they have been read, however many statements there are", () => {
  const meter = new OperationMeter();
  meter.begin("a", 0);
  const cursors = Array.from({ length: 1000 }, () => ({ rowsRead: 0, rowsWritten: 0 }));
  for (const cursor of cursors) {
    meter.addCursor(cursor);
    // SQLite has told the rows of a statement before the next one runs.
    cursor.rowsRead = 2;
    cursor.rowsWritten = 1;
  }
  expect(meter.of("a", 0)).toMatchObject({ rowsRead: 2000, rowsWritten: 1000 });
});

test("each operation has its list price", () => {
  const nothing = operationsUsd({ ...NONE, objectMs: 0 });
  expect(nothing).toBeCloseTo(LIST_PRICES.workerRequest + LIST_PRICES.objectRequest, 12);
  const million = (used: object) => (operationsUsd({ ...NONE, objectMs: 0, ...used }) - nothing) * 1e6;
  expect(million({ rowsWritten: 1 })).toBeCloseTo(1, 6);
  expect(million({ d1RowsWritten: 1 })).toBeCloseTo(1, 6);
  expect(million({ rowsRead: 1 })).toBeCloseTo(0.001, 6);
  expect(million({ r2Writes: 1 })).toBeCloseTo(4.5, 6);
  expect(million({ r2Reads: 1 })).toBeCloseTo(0.36, 6);
  expect(million({ objectMs: 1000 })).toBeCloseTo(12.5 * 0.128, 6);
});
