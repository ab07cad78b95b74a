import type { Label } from "../security/labels.ts";
import type { SafeRequest } from "../security/safe-fetch.ts";

/**
 * A simulated shell over the files of an agent. Its commands are implemented in TypeScript, and it accesses only the
 * files and network that it is given.
 */
export interface Shell {
  /** Its commands, sorted. A skill's `requires.bins` is checked against them. */
  readonly commands: readonly string[];
  /**
   * Runs a script to its end. Its changes below `/workspace` are written back afterwards, also after a failure or
   * timeout, file by file and only over the versions that it started from; the result lists changes that could not be
   * written. An aborted run writes nothing back, or no further file if it had begun to. Runs share no state except the
   * files.
   * @throws only the reason of `signal`; a failing script has an exit code
   */
  run(script: string, options: ShellRun): Promise<ShellResult>;
}

export interface ShellRun {
  /** The working directory, relative to `/workspace`; `/workspace` by default. */
  cwd?: string;
  /** Additional variables. They do not replace those that every script has. */
  env?: Readonly<Record<string, string>>;
  stdin?: string;
  /** Longest time, in milliseconds. */
  timeoutMs: number;
  signal: AbortSignal;
  /** Puts the values of secrets into a request as it leaves; see `SecretBroker`. */
  beforeSend?: SafeRequest["beforeSend"];
  /** Asked before each request; absent if every public host may be reached. */
  mayReach?: MayReach;
  /**
   * Called while the script runs, at once and then ever more rarely. What is printed by built-in commands, or in a way
   * that cannot be followed, is in the result alone.
   */
  onOutput?: (soFar: OutputSoFar) => void;
}

/** What a script that still runs has printed. */
export interface OutputSoFar {
  /** The end of it, masked. */
  text: string;
  /** Hosts that have answered. */
  hosts: readonly string[];
  /** Those hosts, and where the labelled files come from that were read. */
  labels: readonly Label[];
}

/** A request that a script is about to send. */
export interface Reach {
  url: string;
  /** Whether it has a body, or a method other than GET and HEAD. */
  sends: boolean;
  /** Where words come from that the script has read so far. */
  labels: readonly Label[];
}

/** Decides about a request; undefined if it may be sent, else a sentence with the reason. */
export type MayReach = (reach: Reach) => string | undefined;

export interface ShellResult {
  stdout: string;
  stderr: string;
  /** 124 after a timeout. */
  exitCode: number;
  /** Why it was stopped, as a sentence. */
  stopped?: string;
  /** Workspace files that were written, and that were removed. */
  written: readonly ChangedFile[];
  removed: readonly string[];
  /** Sentences about changes that could not be stored. */
  conflicts: readonly string[];
  /** Hosts that answered its requests; their content may be in the output. */
  hosts: readonly string[];
  /** Those hosts, and where the labelled files come from that were read. */
  labels: readonly Label[];
}

/** A file of the workspace that a run wrote. */
export interface ChangedFile {
  path: string;
  /** The etag of the new version. */
  etag: string;
  /** The replaced version; absent for a new file. */
  before?: string;
}
