/** JSON from outside: probe it with `?.` and expect anything. */
// biome-ignore lint/suspicious/noExplicitAny: the one alias for JSON that we did not write
export type Json = any;
