/**
 * What workerd prints of events that tests bring about on purpose: connections that are cut, objects that are killed, and
 * stores that fail. Each pattern matches the first line of an entry; its stack follows.
 */
const EXPECTED = [
  // A fake server cuts the connection or is not there, or a client stops reading.
  /^exception = rust\/worker\/ffi\.rs:\d+: disconnected: (Connection refused|client error \(SendRequest\)|HTTP body: error reading)/,
  /^(uncaught )?exception = .*: disconnected: (abortRead\(\) has been called|read end of pipe was aborted|reader canceled)/,
  /^uncaught exception; exception = .*: disconnected: jsg\.Error: Network connection lost\./,
  /^uncaught exception; source = Uncaught \(in promise\); stack = Error: Network connection lost\.$/,
  /^uncaught exception; exception = .*: jsg\.Error: ReadableStream received over RPC disconnected prematurely\./,
  // A name is not found.
  /^e = rust\/worker\/ffi\.rs:\d+: failed: failed to lookup address information: /,
  /^uncaught exception; (source = Uncaught \(in promise\); stack = Error|exception = .*: failed: jsg\.Error): internal error; reference = \w+/,
  // An object is killed, removes itself, or is removed between two files.
  /^(uncaught exception; )?exception = .*: broken\.outputGateBroken; jsg\.Error: (killed by a test|The session is being deleted\.)/,
  /^(uncaught exception; )?exception = .*: failed: jsg\.Error: Application called deleteAllDurableObjects\(\)\./,
  /^uncaught exception; exception = .*: failed: jsg\.Error: aborted/,
  /^execution context aborted; e = .*: failed: jsg\.Error: The Workers runtime canceled this request because/,
  // A test makes a store or another object fail.
  /^uncaught exception; source = Uncaught \(in promise\); stack = Error: (down|lost|no room|The budget is away\.|R2 is down|D1 is down)$/,
  /^uncaught exception; source = Uncaught \(in promise\); stack = Error: Not every sub-agent has (heard that it is to|acknowledged its) stop\.$/,
  // A test reads a transcript of JSON lines as text.
  /^console warning; message = Called \.text\(\) .* "application\/x-ndjson"\./,
  // An alarm that is a few milliseconds late, or that a test moves while it runs.
  /^NOSENTRY SQLite alarm (overdue, running despite AlarmManager mismatch|handler canceled with requestScheduledAlarm\.);/,
  // Packages are published with the addresses of sources that they do not contain.
  /^Sourcemap for ".*node_modules\/.*" points to missing source files$/,
];

/** Lines that belong to the entry before them. */
const CONTINUES = /^(stack: |\s+at )/;

/** Takes the entries of expected events, with their stacks, out of what is printed. */
export function withoutExpected(text: string): string {
  let dropped = false;
  return text
    .split(/(?<=\n)/)
    .filter((line) => {
      if (!CONTINUES.test(line)) dropped = EXPECTED.some((pattern) => pattern.test(line.trimEnd()));
      return !dropped;
    })
    .join("");
}

/** Lets a stream print everything but entries of expected events. */
export function dropExpected(stream: NodeJS.WriteStream): void {
  const write = stream.write.bind(stream) as (chunk: unknown, ...rest: unknown[]) => boolean;
  stream.write = (chunk: unknown, ...rest: unknown[]) => {
    if (typeof chunk !== "string") return write(chunk, ...rest);
    const kept = withoutExpected(chunk);
    return kept === "" && chunk !== "" ? true : write(kept, ...rest);
  };
}
