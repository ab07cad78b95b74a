import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Where Miniflare looks for another program to run in place of workerd. */
const RUNTIME = "MINIFLARE_WORKERD_PATH";

/** What `closeEntry` made. */
export interface PrivateEntry {
  /** Removes it. */
  remove(): Promise<void>;
}

/**
 * Makes Miniflare's own entry listen on a Unix socket that this user alone can open. Miniflare always opens that entry
 * on a port, where it serves the objects of R2 to any program of the machine, with no option against it. So a script
 * stands in for workerd and replaces that one argument. Windows has neither, and keeps the port.
 * @param stateFolder where the script is kept, as temporary folders may not be executable; their paths are short enough
 *   for a socket
 */
export async function closeEntry(stateFolder: string): Promise<PrivateEntry> {
  if (process.platform === "win32") return { remove: async () => {} };
  const before = process.env[RUNTIME];
  const workerd = before ?? findWorkerd();
  const [scripts, sockets] = await Promise.all([
    mkdtemp(join(stateFolder, "workerd-")),
    mkdtemp(join(tmpdir(), "isopod-")),
  ]);
  const script = join(scripts, "workerd");
  await writeFile(script, scriptFor(workerd, join(sockets, "entry")), { mode: 0o700 });
  await chmod(script, 0o700);
  process.env[RUNTIME] = script;
  return {
    async remove() {
      if (before === undefined) delete process.env[RUNTIME];
      else process.env[RUNTIME] = before;
      await Promise.all([scripts, sockets].map((folder) => rm(folder, { recursive: true, force: true })));
    },
  };
}

/** A Ctrl-C reaches the whole process group, and it is for us to end workerd: Miniflare would start another. */
function scriptFor(workerd: string, socket: string): string {
  return `#!/bin/sh
trap '' INT HUP
socket=${quoted(socket)}
rm -f "$socket"
isClosed=
for argument do
  shift
  case $argument in --socket-addr=entry=*) argument=--socket-addr=entry=unix:$socket isClosed=yes ;; esac
  set -- "$@" "$argument"
done
if [ "$1" = serve ] && [ -z "$isClosed" ]; then
  echo "Miniflare names its entry in another way: it would be open to every local program." >&2
  exit 1
fi
exec ${quoted(workerd)} "$@"
`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** workerd as Miniflare finds it. */
function findWorkerd(): string {
  const fromMiniflare = createRequire(createRequire(import.meta.url).resolve("miniflare"));
  return fromMiniflare("workerd").default;
}
