import { expose } from "../../runtime/rpc.ts";
import { threadStart } from "../../runtime/thread.ts";
import { bodyUser } from "./body-user.ts";
import { type CacheKey, cacheKey, type KeyParts } from "./key.ts";
import { type CodedStream, codedEndsInFailure } from "./stream-end.ts";

/** Bytes that a stream may unpack to. */
const DECODED_BYTES_MAX = 256 * 1_024 * 1_024;

/** The thread that reads large bodies, so that the gateway's own goes on moving bytes. */
export type KeyFunctions = {
  key(parts: KeyParts): CacheKey;
  user(body: Uint8Array): string | undefined;
  fails(stream: CodedStream): Promise<boolean | undefined>;
};

const { port } = threadStart<null>();
expose(port, {
  key: cacheKey,
  user: bodyUser,
  fails: (stream) => codedEndsInFailure(stream, DECODED_BYTES_MAX),
} satisfies KeyFunctions);
