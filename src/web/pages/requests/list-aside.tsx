/** What stands around the list, in a chunk of its own: the first rows do not wait for it. */
export { Facets } from "./facets.tsx";
export { Histogram } from "./histogram.tsx";
