/** Return a function that works out each result once, and forgets it with the object that it belongs to. */
export function remembered<Key extends object, Result>(make: (key: Key) => Result): (key: Key) => Result {
  const known = new WeakMap<Key, Result>();
  return (key) => {
    const result = known.get(key) ?? make(key);
    known.set(key, result);
    return result;
  };
}
