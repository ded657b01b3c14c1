import { expose } from "../../runtime/rpc.ts";
import { threadStart } from "../../runtime/thread.ts";
import { type CacheKey, cacheKey, type KeyParts } from "../cache/key.ts";
import { type BodyContent, bodyContent, type CodedBody, type Members, replaceMembers } from "./content.ts";
import { type CodedStream, codedEndsInFailure } from "./stream-end.ts";

/** Maximum decompressed size of a stream, in bytes. */
const DECODED_BYTES_MAX = 256 * 1_024 * 1_024;

/** Functions of the thread that reads large bodies, so that the gateway's thread stays free to move bytes. */
export type ContentFunctions = {
  key(parts: KeyParts): CacheKey;
  content(body: CodedBody, wantsJson: boolean): Promise<BodyContent>;
  replaceMembers(body: CodedBody, members: Members): Promise<Uint8Array | undefined>;
  fails(stream: CodedStream): Promise<boolean | undefined>;
};

const { port } = threadStart<null>();
expose(port, {
  key: cacheKey,
  async content(body, wantsJson) {
    const { json, ...others } = await bodyContent(body);
    return wantsJson ? { json, ...others } : others;
  },
  replaceMembers,
  fails: (stream) => codedEndsInFailure(stream, DECODED_BYTES_MAX),
} satisfies ContentFunctions);
