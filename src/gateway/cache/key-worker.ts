import { expose } from "../../runtime/rpc.ts";
import { threadStart } from "../../runtime/thread.ts";
import { bodyUser } from "./body-user.ts";
import { type CacheKey, cacheKey, type KeyParts } from "./key.ts";

/** The thread that reads large bodies for their keys, so that the gateway's own goes on moving bytes. */
export type KeyFunctions = {
  key(parts: KeyParts): CacheKey;
  user(body: Uint8Array): string | undefined;
};

const { port } = threadStart<null>();
expose(port, { key: cacheKey, user: bodyUser } satisfies KeyFunctions);
