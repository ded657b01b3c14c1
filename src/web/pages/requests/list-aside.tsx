/** The parts around the list, in a separate chunk: the first rows do not wait for them. */
export { Facets } from "./facets.tsx";
export { Histogram } from "./histogram.tsx";
