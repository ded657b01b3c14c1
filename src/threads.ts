/** The calls between threads. Types only: each thread implements its part; `runtime/rpc.ts` carries the calls. */
export type * from "./threads/api.ts";
export type * from "./threads/further-gateway.ts";
export type * from "./threads/gateway.ts";
export type * from "./threads/jobs.ts";
export type * from "./threads/options.ts";
export type * from "./threads/recorder.ts";
