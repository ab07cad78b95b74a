import { embeddersOf } from "./space-keeper.ts";
import type { Space } from "./spaces.ts";
import type { VectorRoom } from "./vector-room.ts";

/**
 * The spaces of a state, whoever answers best first: whom nothing keeps from being filled before others, the primary before
 * the fallback before those of before.
 */
export function bestFirst(room: VectorRoom, all: readonly Space[], state: Space["state"]): Space[] {
  const { primary, fallback } = embeddersOf(room);
  const rank = ({ key, failure }: Space) =>
    (failure === null ? 0 : 10) + (key === primary?.space ? 0 : key === fallback?.space ? 1 : 2);
  return all.filter((space) => space.state === state).toSorted((a, b) => rank(a) - rank(b));
}
