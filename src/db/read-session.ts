const BOOKMARK = /^[\da-f-]{1,120}$/i;

/** A session of D1 whose queries may be answered by a replica. Each query sees what the ones before it have seen or written. */
export interface ReadSession {
  database: D1Database;
  /** The newest state that it has seen; undefined before its first answer. */
  bookmark(): string | undefined;
}

/**
 * Opens a session of D1.
 * @param since a bookmark: the replica has at least that state. `primary` asks the primary for the newest state first,
 * `anywhere` reads whatever the next replica has. What is no bookmark counts as `primary`.
 */
export function openReadSession(database: D1Database, since: string): ReadSession {
  const constraint = since === "anywhere" ? "first-unconstrained" : BOOKMARK.test(since) ? since : "first-primary";
  const session = database.withSession(constraint);
  // A session has what queries need: statements and batches.
  return { database: session as unknown as D1Database, bookmark: () => session.getBookmark() ?? undefined };
}
