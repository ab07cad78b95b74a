/** One request that a channel made. `body` is text; the bytes of a form's files are left out. */
export interface PlatformCall {
  method: string;
  /** The address of the platform's place. */
  place: string;
  /** Below the place, with the query. */
  path: string;
  headers: Record<string, string>;
  body: string;
  /** The fields of a body in JSON, or of a form. A form's file is `{name, type, size}`. */
  fields: Record<string, unknown>;
}

/** What a platform answers. An object is sent as JSON. */
export interface FakeAnswer {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
}

/** An answer in place of the usual one, for the next request (whose path contains `path`, where given). */
export interface ScriptedPlatformAnswer extends FakeAnswer {
  path?: string;
  /** Never answers. */
  hang?: true;
  /** Cuts the connection before or after the request was recorded, and thus taken. */
  cut?: "before" | "after";
}

/** A platform's server: it checks what the platform checks, and answers as the platform does. */
export interface FakePlatform {
  name: string;
  /**
   * The usual answer; undefined for 404.
   * @param memory what the place remembers between requests; it begins empty
   */
  answer(call: PlatformCall, memory: Record<string, unknown>): FakeAnswer | undefined;
}
