import { eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { KnownAnswers } from "../db/known-answers.ts";
import { mcpServers } from "../db/schema.ts";
import { isMcpTool } from "../security/tool-policy.ts";
import type { KnownProtocol } from "./connect.ts";
import type { ServerFailure } from "./failure.ts";
import type { LeftOutTool, ListedTool } from "./listed-tool.ts";

/** What a server offered when it was last listed. */
export interface Listing {
  tools: readonly ListedTool[];
  leftOut: readonly LeftOutTool[];
  /** Its name and version, as it says. */
  about: string;
  protocol: KnownProtocol;
  /** Whether it has resources. */
  hasResources?: true;
}

/** A tool as an owner has accepted it. */
export type AcceptedTool = Pick<ListedTool, "digest" | "description">;

/** The accepted tools of a server, by their names there. */
export type Accepted = Readonly<Record<string, AcceptedTool>>;

/** Tools as accepted ones. */
export function accepting(tools: readonly ListedTool[]): Accepted {
  return Object.fromEntries(tools.map(({ tool, digest, description }) => [tool, { digest, description }]));
}

/** What is stored of a server. Instants are milliseconds since the epoch. */
export interface StoredServer {
  name: string;
  url: string;
  listing?: Listing;
  listedAt?: number;
  failure?: ServerFailure;
  askedAt: number;
  accepted?: Accepted;
}

/** What this isolate knows of the rows, by the server's name. */
const known = new KnownAnswers<StoredServer>((database, name) => readServer(database, name));

/**
 * What is stored of a server, at most a minute old; undefined if nothing is.
 * @throws the error of D1
 */
export function knownServer(
  database: D1Database,
  name: string,
  now: number,
  waitUntil: (promise: Promise<unknown>) => void,
): Promise<StoredServer | undefined> {
  return known.get(database, name, now, waitUntil);
}

/** What is stored of a server now; undefined if nothing is. @throws the error of D1 */
export async function readServer(database: D1Database, name: string): Promise<StoredServer | undefined> {
  const row = await drizzle(database).select().from(mcpServers).where(eq(mcpServers.name, name)).get();
  if (row === undefined) return undefined;
  const { listing, listedAt, failure, accepted } = row;
  const isCurrent = listing !== null && hasCurrentNames(listing as Listing);
  return {
    name: row.name,
    url: row.url,
    askedAt: listing === null || isCurrent ? row.askedAt : 0,
    ...(isCurrent && { listing: listing as Listing }),
    ...(listedAt !== null && { listedAt }),
    ...(failure !== null && { failure: failure as ServerFailure }),
    ...(accepted !== null && { accepted: accepted as Accepted }),
  };
}

/** Names were formed otherwise once, and policies do not know such ones as a server's: it is asked again. */
function hasCurrentNames({ tools }: Listing): boolean {
  return tools.every(({ name }) => isMcpTool(name));
}

/**
 * Stores what a server offers. What was accepted stays accepted, unless its address has changed.
 * @param first what counts as accepted where nothing has been yet
 */
export async function saveListing(
  database: D1Database,
  { name, url }: { name: string; url: string },
  { listing, first }: { listing: Listing; first: Accepted | undefined },
  now: number,
): Promise<void> {
  const row = { url, listing, listedAt: now, failure: null, askedAt: now };
  const accepted = first ?? null;
  await drizzle(database)
    .insert(mcpServers)
    .values({ name, ...row, accepted })
    .onConflictDoUpdate({
      target: mcpServers.name,
      set: {
        ...row,
        accepted: sql`case when ${mcpServers.url} = excluded.url and ${mcpServers.accepted} is not null then ${mcpServers.accepted} else excluded.accepted end`,
      },
    });
  known.drop(database, name);
}

/** Stores why a server cannot be used. What it offered before is kept for later. */
export async function saveFailure(
  database: D1Database,
  { name, url }: { name: string; url: string },
  failure: ServerFailure,
  now: number,
): Promise<void> {
  const same = (column: typeof mcpServers.listing | typeof mcpServers.listedAt | typeof mcpServers.accepted) =>
    sql`case when ${mcpServers.url} = excluded.url then ${column} end`;
  await drizzle(database)
    .insert(mcpServers)
    .values({ name, url, failure, askedAt: now })
    .onConflictDoUpdate({
      target: mcpServers.name,
      set: {
        ...{ url, failure, askedAt: now },
        listing: same(mcpServers.listing),
        listedAt: same(mcpServers.listedAt),
        accepted: same(mcpServers.accepted),
      },
    });
  known.drop(database, name);
}

/** Stores which tools of a server are accepted. */
export async function saveAccepted(database: D1Database, name: string, accepted: Accepted): Promise<void> {
  await drizzle(database).update(mcpServers).set({ accepted }).where(eq(mcpServers.name, name));
  known.drop(database, name);
}
