/** A value that is made when it is first asked for: what a module makes while it is loaded, every isolate waits for. */
export function lazy<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
