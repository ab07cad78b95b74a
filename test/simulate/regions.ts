/**
 * Round-trip times between regions in milliseconds, 95th percentile of July 2026, as Microsoft publishes them for Azure:
 * https://learn.microsoft.com/azure/networking/azure-network-latency (dataset of 30 July 2026). Cloudflare publishes no
 * such table. Between two directions the longer one counts.
 */
const ROUND_TRIPS_MS = `
                West US  East US  Brazil  Germany  Poland  UAE  South Africa  India  Hong Kong  Singapore  Tokyo  Sydney
West US         1        74       171     159      168     257  279           224    152        172        110    142
East US         74       1        121     97       112     191  226           218    208        229        165    207
Brazil          171      121      1       201      212     293  327           320    315        337        275    298
Germany         159      97       201     1        26      122  174           151    244        179        250    291
Poland          168      112      212     26       1       139  199           169    250        202        260    300
UAE             257      191      293     122      139     1    105           35     120        90         155    182
South Africa    279      226      327     174      199     105  1             134    272        211        255    348
India           224      218      320     151      169     35   134           1      96         59         129    152
Hong Kong       152      208      315     244      250     120  272           96     1          41         53     128
Singapore       172      229      337     179      202     90   211           59     41         1          74     98
Tokyo           110      165      275     250      260     155  255           129    53         74         1      105
Sydney          142      207      298     291      300     182  348           152    128        98         105    1
`;

const CELLS = / {2,}/;
const [heading = "", ...lines] = ROUND_TRIPS_MS.trim().split("\n");
const REGIONS = heading.trim().split(CELLS);

/** Where a user, an object or a database is. */
export type Region = string;

const roundTrips = new Map(
  lines.map((line) => {
    const [region = "", ...times] = line.split(CELLS);
    return [region, new Map(times.map((ms, at) => [REGIONS[at], Number(ms)]))];
  }),
);

/** The time there and back, in milliseconds. @throws Error for a region that is not in the table */
export function roundTripMs(one: Region, other: Region): number {
  const ms = roundTrips.get(one)?.get(other);
  if (ms === undefined) throw new Error(`There is no round trip between ${one} and ${other}.`);
  return ms;
}

/** All regions of the table. */
export function regions(): readonly Region[] {
  return REGIONS;
}

/** Users, by their city, and the region next to it. */
export const CITIES = {
  "San Francisco": "West US",
  "New York": "East US",
  "São Paulo": "Brazil",
  Frankfurt: "Germany",
  Mumbai: "India",
  "Hong Kong": "Hong Kong",
  Tokyo: "Tokyo",
  Sydney: "Sydney",
} as const satisfies Record<string, Region>;

export type City = keyof typeof CITIES;

/**
 * Where an object is created by a location hint, or within a jurisdiction. Cloudflare has no objects in South America,
 * Africa and the Middle East yet: a hint of those gives the nearest place
 * (https://developers.cloudflare.com/durable-objects/reference/data-location/).
 */
export const PLACES = {
  wnam: "West US",
  enam: "East US",
  weur: "Germany",
  eeur: "Poland",
  apac: "Singapore",
  "apac-ne": "Tokyo",
  "apac-se": "Singapore",
  oc: "Sydney",
  eu: "Germany",
} as const satisfies Record<string, Region>;

/** Where D1 and R2 can be created: `wrangler d1 create --location`. */
export const DATABASES = {
  wnam: "West US",
  enam: "East US",
  weur: "Germany",
  eeur: "Poland",
  apac: "Singapore",
  oc: "Sydney",
} as const satisfies Record<string, Region>;
