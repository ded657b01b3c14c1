/** A bucket, or a part of one. Names are complete: they include the configured prefix. */
export interface ObjectStore {
  /** Bucket and host, for messages. */
  readonly place: string;
  /** Resolves once the store has the object and has verified a hash of all its bytes. */
  put(name: string, content: Uint8Array): Promise<void>;
  /** A range of bytes; undefined when the object does not exist or ends before the range does. */
  get(name: string, range: ByteRange): Promise<Uint8Array | undefined>;
  /** Objects whose names start with `prefix`, sorted by name, a page at a time. */
  list(prefix: string, after?: string): AsyncGenerator<readonly ListedObject[]>;
  /** A missing object is not an error. */
  remove(name: string): Promise<void>;
}

export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

export interface ListedObject {
  readonly name: string;
  readonly bytes: number;
}
