import { type Chain, hops, type Trace, waitMs } from "./chain.ts";
import { CITIES, type City, DATABASES, PLACES, type Region } from "./regions.ts";

/** A placement of sessions: near the caller, near the data centre that calls the webhooks, or in a region. */
export type Placement = "caller" | "webhook" | keyof typeof PLACES;
export type DatabaseLocation = keyof typeof DATABASES;

/** The first caller of a session of Telegram is Telegram's data centre in Amsterdam; the region next to it. */
const WEBHOOKS_FROM: Region = "Germany";

/** The kinds of turns, as in `Trace`. */
export type TurnKind = keyof Trace;

/** A placement and how long the users of each city wait for the first token beyond the model's own time, in milliseconds. */
export interface Placed {
  placement: Placement;
  database: DatabaseLocation;
  turn: TurnKind;
  byCity: Record<City, number>;
}

/** What `--json` prints. */
export interface Simulation {
  hopsBeforeModel: Record<TurnKind, number>;
  /** The median over placements and locations of D1, of warm turns, by city, in milliseconds. */
  p50ByCity: Record<City, number>;
  worst: { city: City; ms: number } & Omit<Placed, "byCity">;
  placements: Placed[];
}

/** Lays the chains of recorded turns over the table of round trips. */
export function simulate(trace: Trace): Simulation {
  const turns = Object.keys(trace) as TurnKind[];
  const placements = (["caller", "webhook", ...keys(PLACES)] as Placement[]).flatMap((placement) =>
    keys(DATABASES).flatMap((database) =>
      turns.map((turn) => ({ placement, database, turn, byCity: byCity(trace[turn], placement, database) })),
    ),
  );
  const warm = placements.filter(({ turn }) => turn === "warm");
  const all = placements.flatMap(({ byCity, ...placed }) =>
    keys(CITIES).map((city) => ({ ...placed, city, ms: byCity[city] })),
  );
  return {
    hopsBeforeModel: {
      warm: hops(trace.warm),
      later: hops(trace.later),
      new: hops(trace.new),
      cold: hops(trace.cold),
    },
    p50ByCity: cities((city) => median(warm.map((placed) => placed.byCity[city]))),
    worst: all.reduce((worst, one) => (one.ms > worst.ms ? one : worst)),
    placements,
  };
}

function byCity(chain: Chain, placement: Placement, database: DatabaseLocation): Placed["byCity"] {
  return cities((city) => {
    const user = CITIES[city];
    // A webhook's Worker runs where the platform is; the user is as far from that as anyone.
    const caller = placement === "webhook" ? WEBHOOKS_FROM : user;
    return waitMs(chain, { caller, object: regionOf(placement, user), database: DATABASES[database] });
  });
}

function regionOf(placement: Placement, user: Region): Region {
  if (placement === "caller") return user;
  return placement === "webhook" ? WEBHOOKS_FROM : PLACES[placement];
}

function cities(value: (city: City) => number): Record<City, number> {
  return Object.fromEntries(keys(CITIES).map((city) => [city, value(city)])) as Record<City, number>;
}

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

function keys<Name extends string>(named: Readonly<Record<Name, unknown>>): Name[] {
  return Object.keys(named) as Name[];
}
