/**
 * A shell over the files of an agent. It is simulated: its commands are programs of its own, and it reaches nothing but
 * what it is given.
 */
export interface Shell {
  /** Its commands by name, in order: what a skill's `requires.bins` is answered from. */
  readonly commands: readonly string[];
  /**
   * Runs a script to its end. What it changed below `/workspace` is written back when it ends, also where it failed or its time
   * was over, file by file and only over the versions that it began from; what could not be written is in the result. Of a run
   * that was aborted nothing is written back. Each run begins anew: there is no state but the files.
   * @throws only what `signal` was aborted with; a script that fails has an exit code
   */
  run(script: string, options: ShellRun): Promise<ShellResult>;
}

export interface ShellRun {
  /** A path, from `/workspace` where it is relative; `/workspace` where it is absent. */
  cwd?: string;
  /** Variables besides those that every script sees, none of which they replace. */
  env?: Readonly<Record<string, string>>;
  stdin?: string;
  /** Longest time, in milliseconds. */
  timeoutMs: number;
  signal: AbortSignal;
}

export interface ShellResult {
  stdout: string;
  stderr: string;
  /** 124 where its time was over. */
  exitCode: number;
  /** Why it did not come to its end by itself, as a sentence. */
  stopped?: string;
  /** Files of the workspace that were written, and removed. */
  written: readonly ChangedFile[];
  removed: readonly string[];
  /** Sentences about changes that could not be stored. */
  conflicts: readonly string[];
  /** Hosts that answered its requests: what they said may be in the output. */
  hosts: readonly string[];
}

/** A file of the workspace that a run wrote. */
export interface ChangedFile {
  path: string;
  /** What it is now. */
  etag: string;
  /** The version that it went over; absent where the file is new. */
  before?: string;
}
