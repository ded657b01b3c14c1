import { mkdirSync } from "node:fs";
import S3rver from "s3rver";
import type { Config } from "../../src/config.ts";
import { openObjectStore } from "../../src/store/objects/open-objects.ts";
import type { S3Store } from "../../src/store/objects/s3-store.ts";
import { temporaryDirectory } from "../directory.ts";
import { freePort } from "../ports.ts";

const BUCKET = "bodies";

/** An object store on the loopback, with a bucket of its own; it can be stopped and started again at the same port. */
export interface TestStore extends AsyncDisposable {
  readonly settings: BodySettings;
  readonly client: S3Store;
  /** Everything in the bucket whose name begins so, by name. */
  all(prefix?: string): Promise<Map<string, Buffer>>;
  stop(): Promise<void>;
  start(): Promise<void>;
}

type BodySettings = Pick<
  Config,
  | "bodies_engine"
  | "bodies_url"
  | "bodies_bucket"
  | "bodies_region"
  | "bodies_access_key_id"
  | "bodies_secret_access_key"
>;

export async function startObjectStore(): Promise<TestStore> {
  const directory = temporaryDirectory();
  mkdirSync(`${directory.path}/${BUCKET}`);
  const port = await freePort();
  let server: S3rver | undefined;
  const start = async () => {
    server = new S3rver({ address: "127.0.0.1", port, silent: true, directory: directory.path });
    await server.run();
  };
  const stop = async () => {
    const closing = server?.close();
    server = undefined;
    await closing;
  };
  await start();
  const settings: BodySettings = {
    bodies_engine: "s3",
    bodies_url: `http://127.0.0.1:${port}`,
    bodies_bucket: BUCKET,
    bodies_region: "us-east-1",
    bodies_access_key_id: "S3RVER",
    bodies_secret_access_key: "S3RVER",
  };
  const client = openObjectStore({
    data_dir: "",
    database_url: "",
    bodies_prefix: "",
    bodies_pack_bytes: 1 << 20,
    ...settings,
  })!;
  return {
    settings,
    client,
    start,
    stop,
    async all(prefix = "") {
      const found = new Map<string, Buffer>();
      for await (const page of client.list(prefix)) {
        for (const { name, bytes } of page) {
          found.set(name, Buffer.from((await client.get(name, { offset: 0, length: bytes }))!));
        }
      }
      return found;
    },
    async [Symbol.asyncDispose]() {
      await stop();
      directory[Symbol.dispose]();
    },
  };
}
