import type { CoreConfig } from "../config/schema.ts";

/** What `auth` of the configuration says. */
export type AuthConfig = CoreConfig["auth"];

/** The provider's name in `provider/model`; empty where the text is none. */
export function providerIn(ref: string): string {
  return ref.slice(0, Math.max(ref.indexOf("/"), 0));
}

/** What the keys of profiles are looked up in. */
export interface KeySources {
  auth: AuthConfig;
  /** The value of a variable of the environment. */
  secret(name: string): string | undefined;
}

/** The names of a provider's profiles in the order in which they are used: the one that is written down, else all. */
export function profilesOf(provider: string, auth: AuthConfig): string[] {
  const own = Object.keys(auth.profiles).filter((name) => auth.profiles[name]?.provider === provider);
  return auth.order[provider] ?? own;
}

/** Those of a provider's profiles that can be used, in their order. */
export function profilesWithKey(provider: string, { auth, secret }: KeySources): string[] {
  return profilesOf(provider, auth).filter((name) => {
    const key = auth.profiles[name]?.apiKey;
    return key !== undefined && secret(key.id) !== undefined;
  });
}
