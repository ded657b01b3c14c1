/**
 * The public contract of providers and plugins, published as `weir/plugin`: types only, nothing to import at run time.
 *
 * A provider defines its hosts and how to read its traffic. A shape translates one API's requests and responses. A plugin
 * takes part in the traffic. Each is one file with one default export; built-in ones are loaded in the same way as
 * drop-ins.
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
