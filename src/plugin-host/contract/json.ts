/** JSON from outside: read it with `?.` and expect any type. */
// biome-ignore lint/suspicious/noExplicitAny: the one alias for JSON that we did not write
export type Json = any;
