import type { CoreConfig } from "../config/schema.ts";

/** The configuration's `auth`. */
export type AuthConfig = CoreConfig["auth"];

/** The provider's name in `provider/model`; empty if the text has none. */
export function providerIn(ref: string): string {
  return ref.slice(0, Math.max(ref.indexOf("/"), 0));
}

/** Where the keys of profiles are looked up. */
export interface KeySources {
  auth: AuthConfig;
  /** The value of an environment variable. */
  secret(name: string): string | undefined;
}

/** The names of a provider's profiles in order of use: the configured order, else all. */
export function providerProfiles(provider: string, auth: AuthConfig): string[] {
  const own = Object.keys(auth.profiles).filter((name) => auth.profiles[name]?.provider === provider);
  return auth.order[provider] ?? own;
}

/** The provider's profiles whose key is set, in order. */
export function profilesWithKey(provider: string, { auth, secret }: KeySources): string[] {
  return providerProfiles(provider, auth).filter((name) => {
    const key = auth.profiles[name]?.apiKey;
    return key !== undefined && secret(key.id) !== undefined;
  });
}
