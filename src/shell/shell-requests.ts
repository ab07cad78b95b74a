import type { BashOptions } from "just-bash/browser";
import { EgressError } from "../security/egress-error.ts";
import type { SafeFetch } from "../security/safe-fetch.ts";
import { MAX_ANSWER_BYTES, MAX_REQUESTS } from "./limits.ts";

type BashFetch = NonNullable<BashOptions["fetch"]>;

/** The HTTP requests of one run, sent through the guarded fetch. */
export class ShellRequests {
  readonly #fetch: SafeFetch;
  readonly #hosts = new Set<string>();
  #count = 0;

  readonly #refusal: (url: string, sends: boolean) => string | undefined;

  /** @param refusal why a request may not be sent; undefined if it may */
  constructor(fetch: SafeFetch, refusal: (url: string, sends: boolean) => string | undefined = () => undefined) {
    this.#fetch = fetch;
    this.#refusal = refusal;
  }

  /** Hosts that answered, sorted. */
  get hosts(): string[] {
    return [...this.#hosts].sort();
  }

  /** The fetch that `curl` calls. @throws Error with a message from which `curl` derives its exit code */
  readonly fetch: BashFetch = async (url, options = {}) => {
    if (++this.#count > MAX_REQUESTS) throw new Error(`A run makes ${MAX_REQUESTS} requests at most.`);
    const { method, headers, body, timeoutMs, signal } = options;
    const sends = (body !== undefined && body !== "") || !/^(?:GET|HEAD)$/i.test(method ?? "GET");
    const refused = this.#refusal(url, sends);
    if (refused !== undefined) throw new Error(`Network access denied: ${refused}`);
    const maxRedirects = options.followRedirects === false ? 0 : options.maxRedirects;
    try {
      const init = { method, headers, body, timeoutMs, signal, maxRedirects, maxBytes: MAX_ANSWER_BYTES };
      const answer = await this.#fetch(url, init);
      this.#hosts.add(new URL(answer.url).host);
      return answer;
    } catch (thrown) {
      if (!(thrown instanceof EgressError)) throw thrown;
      throw new Error(`${KINDS[thrown.code] ?? ""}${thrown.message} ${thrown.hint}`, { cause: thrown });
    }
  };
}

/** Message prefixes by which just-bash's curl chooses its exit code. */
const KINDS: Partial<Record<EgressError["code"], string>> = {
  refused: "Network access denied: ",
  unresolved: "Network access denied: ",
  too_many_redirects: "Too many redirects: ",
  timed_out: "The request was aborted: ",
};
