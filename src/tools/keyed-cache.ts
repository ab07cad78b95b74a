/** What was fetched in the last minutes, by a key that says how. */
export interface KeyedCache<Value> {
  find(key: string): Value | undefined;
  keep(key: string, value: Value): void;
}
