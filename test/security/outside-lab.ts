import { inject } from "vitest";
import type { OutsideAnswer, OutsideRequest } from "../fakes/outside.ts";

/** `host:port` of the server that stands for what is outside. */
export const outsideHost = new URL(inject("outside")).host;

/** The address of a path at a place of a test's own. */
export function at(place: string, path = ""): string {
  return `${inject("outside")}/${place}/${path}`;
}

/** Says what a place answers, by path. */
export async function serve(place: string, answers: Record<string, OutsideAnswer>): Promise<void> {
  await fetch(`${inject("outside")}/control/${place}`, { method: "PUT", body: JSON.stringify({ answers }) });
}

/** What a place was asked. */
export async function heard(place: string): Promise<OutsideRequest[]> {
  return (await fetch(`${inject("outside")}/control/${place}`)).json();
}
