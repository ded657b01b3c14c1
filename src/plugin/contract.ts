/**
 * The public contract of providers and plugins, published as `weir/plugin`: types only, nothing to import at run time.
 *
 * A provider says whose traffic is whose and how to read it. A shape translates one API's requests and responses. A plugin
 * takes part in what passes. Each is one file with one default export; built-in ones go through the same door as those that
 * are dropped into a folder.
 */
export type * from "./contract/answer.ts";
export type * from "./contract/embedding.ts";
export type * from "./contract/endpoint.ts";
export type * from "./contract/exchange.ts";
export type * from "./contract/gateway-access.ts";
export type * from "./contract/json.ts";
export type * from "./contract/mapping.ts";
export type * from "./contract/plugin.ts";
export type * from "./contract/prompt.ts";
export type * from "./contract/provider.ts";
export type * from "./contract/reading.ts";
export type * from "./contract/shape.ts";
