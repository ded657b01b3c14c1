import { isBun } from "../platform.ts";
import { nativeSockets } from "./native-sockets.ts";
import { nodeSockets, type Sockets } from "./sockets.ts";

/** Streams over Bun's sockets cost a request more than the sockets do; Deno has no others. */
export const usualSockets: Sockets = isBun ? nativeSockets : nodeSockets;
