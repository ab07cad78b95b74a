/** Failures as programs of a shell know them. */
export function missing(verb: string, path: string): Error {
  return new Error(`ENOENT: no such file or directory, ${verb} '${path}'`);
}

export function readOnly(verb: string, path: string): Error {
  return new Error(`EROFS: read-only file system, ${verb} '${path}'`);
}

export function fullDisk(): Error {
  return new Error("ENOSPC: no space left");
}

export function runIsOver(): Error {
  return new Error("EINTR: the run is over");
}

/** Throws where a value is wanted. */
export function fail(error: Error): never {
  throw error;
}
