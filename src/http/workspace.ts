import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context, Env as HonoEnv } from "hono";
import { type ErrorCode, IsopodError } from "../lib/errors.ts";
import {
  type Expectation,
  MAX_FILE_BYTES,
  type Workspace,
  WorkspaceError,
  type WorkspaceErrorCode,
} from "../workspace/workspace.ts";
import { expectationOf, passesIfMatch, passesIfNoneMatch, rangeIn } from "./conditions.ts";
import { onInvalid } from "./errors.ts";
import { readBody } from "./read-body.ts";
import { fileHeaders, fileResponse } from "./workspace-file.ts";
import {
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
 * The workspace of an agent over HTTP, to be mounted at `/v1`.
 * @param open checks that there is such an agent, and gives its workspace
 */
export function workspaceRoutes<E extends HonoEnv>(
  open: (c: Context<E>, agentId: string) => Promise<Workspace>,
): OpenAPIHono<E> {
  const app = new OpenAPIHono<E>({ defaultHook: onInvalid });
  for (const route of [readRoute, writeRoute, removeRoute, versionsRoute, restoreRoute]) {
    app.openAPIRegistry.registerPath({ ...route, path: route.path.replace(REST, "{path}") });
  }

  app.openapi(listRoute, async (c) => {
    const { prefix, recursive } = c.req.valid("query");
    return translated(c, async () => {
      const workspace = await open(c, c.req.valid("param").id);
      const entries = recursive === "true" ? await workspace.walk(prefix) : await workspace.list(prefix);
      return c.json({ entries }, 200);
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
      return c.json(stored, isNew ? 201 : 200);
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

  app.openapi(replacedRoute, async (c) => {
    const { deleted, after } = c.req.valid("query");
    return translated(c, async () => {
      const workspace = await open(c, c.req.valid("param").id);
      const { files, next } = await workspace.replaced(after);
      const wanted = files.filter((file) => deleted === undefined || String(file.deleted) === deleted);
      return c.json({ files: wanted, ...(next !== undefined && { next }) }, 200);
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
      return c.json(restored, 200);
    });
  });

  return app;
}

/** Answers GET and HEAD. A file is looked up before it is read only where a condition or HEAD asks for it. */
async function serve(c: Context, workspace: Workspace, path: string): Promise<Response> {
  const { ifMatch, ifNoneMatch } = conditionsOf(c);
  const ifRange = c.req.header("If-Range");
  const isHead = c.req.method === "HEAD";
  const isPlain = !isHead && [ifMatch, ifNoneMatch, ifRange].every((condition) => condition === undefined);
  const known = isPlain ? undefined : await workspace.stat(path);
  if (known !== undefined) {
    if (!passesIfMatch(ifMatch, known.etag)) throw preconditionFailed(path);
    const headers = fileHeaders(known);
    if (!passesIfNoneMatch(ifNoneMatch, known.etag)) return new Response(null, { status: 304, headers });
    if (isHead) return new Response(null, { headers: { ...headers, "Content-Length": String(known.size) } });
  }
  const isCurrent = ifRange === undefined || (known !== undefined && passesIfMatch(ifRange, known.etag));
  const range = isCurrent ? rangeIn(c.req.header("Range")) : undefined;
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
  const { ifMatch, ifNoneMatch } = conditionsOf(c);
  const expected = await expectationOf(ifMatch, ifNoneMatch, () => etagAt(workspace, path));
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

function conditionsOf(c: Context): { ifMatch: string | undefined; ifNoneMatch: string | undefined } {
  return { ifMatch: c.req.header("If-Match"), ifNoneMatch: c.req.header("If-None-Match") };
}

function preconditionFailed(path: string): IsopodError {
  return new IsopodError("precondition_failed", `\`${path}\` is not what the request expects.`, "Read it again.");
}

/** Runs a route; what the workspace refuses becomes an error of ours. */
async function translated<T>(c: Context, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof WorkspaceError)) throw thrown;
    const { ifMatch, ifNoneMatch } = conditionsOf(c);
    throw httpErrorOf(thrown, ifMatch !== undefined || ifNoneMatch !== undefined);
  }
}

const CODES: Record<Exclude<WorkspaceErrorCode, "conflict">, ErrorCode> = {
  bad_path: "invalid_request",
  not_found: "not_found",
  too_large: "payload_too_large",
  bad_range: "range_not_satisfiable",
  unavailable: "unavailable",
};

/** A workspace's refusal as HTTP has it: a conflict is 412 where the request named what it expects, else 409. */
export function httpErrorOf(error: WorkspaceError, isConditional: boolean): IsopodError {
  if (error.code !== "conflict") return new IsopodError(CODES[error.code], error.message);
  return isConditional
    ? new IsopodError("precondition_failed", error.message, "Read it again, and send its ETag as If-Match.")
    : new IsopodError("conflict", error.message, "Try again.");
}
