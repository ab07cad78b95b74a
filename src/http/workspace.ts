import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context, Env as HonoEnv } from "hono";
import { IsopodError } from "../lib/errors.ts";
import {
  type Expectation,
  MAX_FILE_BYTES,
  type Workspace,
  type WorkspaceEntry,
  WorkspaceError,
  type WorkspaceFile,
} from "../workspace/workspace.ts";
import { expectedVersion, passesIfMatch, passesIfNoneMatch, requestedRange } from "./conditions.ts";
import { onInvalid, withWorkspaceErrors } from "./errors.ts";
import { fileHeaders, fileResponse } from "./file-response.ts";
import { readBody } from "./request-body.ts";
import {
  acceptWordsRoute,
  listRoute,
  REST,
  readRoute,
  removeRoute,
  replacedRoute,
  restoreRoute,
  versionsRoute,
  writeRoute,
} from "./workspace-schema.ts";

/**
 * The routes of agents' workspaces, for mounting at `/v1`.
 * @param open opens the workspace of an agent; throws `not_found` where there is no such agent
 */
export function workspaceRoutes<E extends HonoEnv>(
  open: (c: Context<E>, agentId: string) => Promise<Workspace>,
): OpenAPIHono<E> {
  const app = new OpenAPIHono<E>({ defaultHook: onInvalid });
  for (const route of [readRoute, writeRoute, removeRoute, acceptWordsRoute, versionsRoute, restoreRoute]) {
    app.openAPIRegistry.registerPath({ ...route, path: route.path.replace(REST, "{path}") });
  }

  app.openapi(listRoute, async (c) => {
    const { prefix, recursive } = c.req.valid("query");
    return translated(c, async () => {
      const workspace = await open(c, c.req.valid("param").id);
      const entries = recursive === "true" ? await workspace.walk(prefix) : await workspace.list(prefix);
      return c.json({ entries: entries.map(entryBody) }, 200);
    });
  });

  app.openapi({ ...readRoute, hide: true }, (c) => {
    const { id, path } = c.req.valid("param");
    return translated(c, async () => serve(c, await open(c, id), path));
  });

  app.openapi({ ...writeRoute, hide: true }, (c) => {
    const { id, path } = c.req.valid("param");
    return translated(c, async () => {
      const workspace = await open(c, id);
      const content = await readBody(c.req.raw, MAX_FILE_BYTES);
      const expect = await expectation(c, workspace, path);
      const isNew = expect.kind === "new" || (expect.kind === "any" && (await etagAt(workspace, path)) === undefined);
      const stored = await workspace.write(path, content, expect);
      c.header("ETag", `"${stored.etag}"`);
      return c.json(fileBody(stored), isNew ? 201 : 200);
    });
  });

  app.openapi({ ...removeRoute, hide: true }, (c) => {
    const { id, path } = c.req.valid("param");
    return translated(c, async () => {
      const workspace = await open(c, id);
      await workspace.remove(path, await expectation(c, workspace, path));
      return c.body(null, 204);
    });
  });

  app.openapi({ ...acceptWordsRoute, hide: true }, (c) => {
    const { id, path } = c.req.valid("param");
    return translated(c, async () => {
      const workspace = await open(c, id);
      const expect = await expectation(c, workspace, path);
      if (expect.kind !== "etag") {
        throw new IsopodError("invalid_request", "If-Match: missing", "Send the etag of the version that you read.");
      }
      return c.json(fileBody(await workspace.acceptWords(path, expect.etag)), 200);
    });
  });

  app.openapi(replacedRoute, async (c) => {
    const { deleted, after } = c.req.valid("query");
    return translated(c, async () => {
      const workspace = await open(c, c.req.valid("param").id);
      const { files, next } = await workspace.replaced(after);
      const matching = files.filter((file) => deleted === undefined || String(file.deleted) === deleted);
      return c.json({ files: matching, ...(next !== undefined && { next }) }, 200);
    });
  });

  app.openapi({ ...versionsRoute, hide: true }, (c) => {
    const { id, path } = c.req.valid("param");
    const { versionId } = c.req.valid("query");
    return translated(c, async () => {
      const workspace = await open(c, id);
      if (versionId !== undefined) return fileResponse(await workspace.readVersion(path, versionId), false);
      return c.json({ versions: await workspace.versions(path) }, 200);
    });
  });

  app.openapi({ ...restoreRoute, hide: true }, (c) => {
    const { id, path } = c.req.valid("param");
    return translated(c, async () => {
      const workspace = await open(c, id);
      const expect = await expectation(c, workspace, path);
      const restored = await workspace.restore(path, c.req.valid("json").versionId, expect);
      c.header("ETag", `"${restored.etag}"`);
      return c.json(fileBody(restored), 200);
    });
  });

  return app;
}

function entryBody(entry: WorkspaceEntry) {
  return entry.kind === "file" ? fileBody(entry) : entry;
}

function fileBody({ labels, ...file }: WorkspaceFile) {
  if (labels === undefined) return file;
  return { ...file, labels: labels.labels, ...(labels.lines && { labelledLines: labels.lines.size }) };
}

/** Answers GET and HEAD. Looks a file up before reading it only for a conditional request or HEAD. */
async function serve(c: Context, workspace: Workspace, path: string): Promise<Response> {
  const { ifMatch, ifNoneMatch } = conditionHeaders(c);
  const ifRange = c.req.header("If-Range");
  const isHead = c.req.method === "HEAD";
  const isPlain = !isHead && [ifMatch, ifNoneMatch, ifRange].every((condition) => condition === undefined);
  const current = isPlain ? undefined : await workspace.stat(path);
  if (current !== undefined) {
    if (!passesIfMatch(ifMatch, current.etag)) throw preconditionFailed(path);
    const headers = fileHeaders(current);
    if (!passesIfNoneMatch(ifNoneMatch, current.etag)) return new Response(null, { status: 304, headers });
    if (isHead) return new Response(null, { headers: { ...headers, "Content-Length": String(current.size) } });
  }
  const isCurrent = ifRange === undefined || (current !== undefined && passesIfMatch(ifRange, current.etag));
  const range = isCurrent ? requestedRange(c.req.header("Range")) : undefined;
  try {
    return fileResponse(await workspace.read(path, range), range !== undefined);
  } catch (thrown) {
    if (thrown instanceof WorkspaceError && thrown.code === "bad_range") {
      c.header("Content-Range", `bytes */${(await workspace.stat(path)).size}`);
    }
    throw thrown;
  }
}

async function expectation(c: Context, workspace: Workspace, path: string): Promise<Expectation> {
  const { ifMatch, ifNoneMatch } = conditionHeaders(c);
  const expected = await expectedVersion(ifMatch, ifNoneMatch, () => etagAt(workspace, path));
  if (expected === undefined) throw preconditionFailed(path);
  return expected;
}

async function etagAt(workspace: Workspace, path: string): Promise<string | undefined> {
  try {
    return (await workspace.stat(path)).etag;
  } catch (thrown) {
    if (thrown instanceof WorkspaceError && thrown.code === "not_found") return undefined;
    throw thrown;
  }
}

function conditionHeaders(c: Context): { ifMatch: string | undefined; ifNoneMatch: string | undefined } {
  return { ifMatch: c.req.header("If-Match"), ifNoneMatch: c.req.header("If-None-Match") };
}

function preconditionFailed(path: string): IsopodError {
  return new IsopodError("precondition_failed", `\`${path}\` is not what the request expects.`, "Read it again.");
}

function translated<T>(c: Context, work: () => Promise<T>): Promise<T> {
  const { ifMatch, ifNoneMatch } = conditionHeaders(c);
  return withWorkspaceErrors(work, ifMatch !== undefined || ifNoneMatch !== undefined);
}
