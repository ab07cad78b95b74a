import { CITIES, type City } from "./regions.ts";
import type { Placed, Placement, Simulation, TurnKind } from "./simulation.ts";

const BEGIN = "<!-- made by: npm run simulate:regions -- --write -->";
const END = "<!-- end -->";

/** The tables of the page about placement, and of the terminal. */
export function tables(simulation: Simulation): string {
  const { hopsBeforeModel: hops } = simulation;
  const steps = [
    "| turn | steps before the model's request |",
    "|---|---|",
    `| within a minute of the last one | ${hops.warm} |`,
    `| later | ${hops.later} |`,
    `| the first of a new session | ${hops.new} |`,
    `| the first of a new session, in an isolate that has just started | ${hops.cold} |`,
  ];
  return [...steps, "", ...placementTable(simulation, "warm"), "", ...placementTable(simulation, "later")].join("\n");
}

const TITLES: Partial<Record<Placement, string>> = {
  caller: "`caller`, from the page or the API",
  webhook: "`caller`, from Telegram",
};
const TURNS: Record<TurnKind, string> = {
  warm: "within a minute",
  later: "later",
  new: "new session",
  cold: "new isolate",
};

/** A row for each placement, with the best location of D1 for all cities together. */
function placementTable({ placements }: Simulation, turn: TurnKind): string[] {
  const cities = Object.keys(CITIES) as City[];
  const ofTurn = placements.filter((placed) => placed.turn === turn);
  const best = new Map<Placement, Placed>();
  for (const placed of ofTurn) {
    const known = best.get(placed.placement);
    if (known === undefined || total(placed) < total(known)) best.set(placed.placement, placed);
  }
  return [
    `| ${TURNS[turn]}: sessions | D1 | ${cities.join(" | ")} |`,
    `|---|---|${cities.map(() => "---|").join("")}`,
    ...[...best.values()].map(({ placement, database, byCity }) => {
      const where = turn === "warm" ? "any" : `\`${database}\``;
      const times = cities.map((city) => byCity[city]);
      return `| ${TITLES[placement] ?? `\`${placement}\``} | ${where} | ${times.join(" | ")} |`;
    }),
  ];
}

function total({ byCity }: Placed): number {
  return Object.values(byCity).reduce((sum, ms) => sum + ms, 0);
}

/** A page with what was made for it between its marks. @throws Error if the page has no marks */
export function withMade(page: string, made: string): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error("The page has no place for the tables.");
  return `${page.slice(0, begin + BEGIN.length)}\n${made}\n${page.slice(end)}`;
}
