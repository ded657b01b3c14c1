/** A bucket, or a part of one. Names are whole: the configured prefix is in them. */
export interface ObjectStore {
  /** Bucket and host, for messages. */
  readonly place: string;
  /** Resolves once the store has it, checked against a hash of all its bytes. */
  put(name: string, content: Uint8Array): Promise<void>;
  /** So many bytes from an offset; undefined where there is no such object, or where it ends before. */
  get(name: string, range: ByteRange): Promise<Uint8Array | undefined>;
  /** Objects whose names begin so, in the order of names, a page at a time. */
  list(prefix: string, after?: string): AsyncGenerator<readonly ListedObject[]>;
  /** One that is not there is no failure. */
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
