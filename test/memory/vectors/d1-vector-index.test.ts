import { env } from "cloudflare:test";
import { DIMENSIONS, vectorIndexContract } from "../../contracts/vector-index.ts";
import { openSpace } from "./a-space.ts";

vectorIndexContract("D1", async () => ({
  index: openSpace(DIMENSIONS, { database: env.MEMORY }).index,
  other: openSpace(DIMENSIONS, { database: env.MEMORY }).index,
  settled: async () => {},
}));
