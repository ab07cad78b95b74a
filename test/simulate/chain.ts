import type { RemoteCall } from "../bench/counting.ts";
import { type Region, roundTripMs } from "./regions.ts";

/** What a turn waits for before it asks the model: steps one after the other, the calls of a step side by side. */
export interface Chain {
  /** Of the Worker, before it calls the session's object. */
  worker: readonly Step[];
  /** Of the session's object. */
  object: readonly Step[];
}

/** The services that are asked side by side. */
export type Step = readonly RemoteCall["to"][];

/**
 * The chains of the turns that are recorded: right after another, after more than a minute, the first of a new session
 * after more than a minute, and the first of an isolate, which has a new session, too.
 */
export interface Trace {
  warm: Chain;
  later: Chain;
  new: Chain;
  cold: Chain;
}

/** The chain of recorded calls. */
export function chainOf(calls: readonly RemoteCall[]): Chain {
  const stepsOf = (from: RemoteCall["from"]): Step[] => {
    const own = calls.filter((call) => call.from === from);
    const steps = [...new Set(own.map(({ step }) => step))].sort((one, other) => one - other);
    return steps.map((step) => [...new Set(own.filter((call) => call.step === step).map(({ to }) => to))].sort());
  };
  return { worker: stepsOf("worker"), object: stepsOf("object") };
}

/** Steps before the model's request: those of the Worker, the call of the object, and those of the object. */
export function hops({ worker, object }: Chain): number {
  return worker.length + 1 + object.length;
}

/** Where everything is. R2 is where D1 is. The Worker is next to its caller. */
export interface Places {
  caller: Region;
  object: Region;
  database: Region;
}

/** How long a caller waits for the first token beyond the model's own time, in milliseconds. */
export function waitMs({ worker, object }: Chain, places: Places): number {
  const fromWorker = worker.length * roundTripMs(places.caller, places.database);
  const fromObject = object.length * roundTripMs(places.object, places.database);
  return fromWorker + roundTripMs(places.caller, places.object) + fromObject;
}
