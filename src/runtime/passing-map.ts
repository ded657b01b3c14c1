/** Deletions after which the entries are copied, beyond one for each entry: the copy then costs little per deletion. */
const DELETED_MAX = 16;

/**
 * A map whose entries come and go, such as what is in flight. The tables that a Map outgrows refer to each other and to
 * what they held: once a garbage collection has seen one in use, it keeps all later ones, until a full one. Here they
 * are few, because the entries move to a new Map.
 */
export class PassingMap<K, V> {
  #map = new Map<K, V>();
  #deleted = 0;

  get size(): number {
    return this.#map.size;
  }

  get(key: K): V | undefined {
    return this.#map.get(key);
  }

  set(key: K, value: V): void {
    this.#map.set(key, value);
  }

  delete(key: K): void {
    if (!this.#map.delete(key) || ++this.#deleted <= this.#map.size + DELETED_MAX) return;
    this.#map = new Map(this.#map);
    this.#deleted = 0;
  }

  clear(): void {
    this.#map = new Map();
    this.#deleted = 0;
  }

  /** In the order in which they were added. Entries that are deleted during an iteration may still appear in it. */
  entries(): MapIterator<[K, V]> {
    return this.#map.entries();
  }

  values(): MapIterator<V> {
    return this.#map.values();
  }
}
