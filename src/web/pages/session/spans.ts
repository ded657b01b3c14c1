/** The place of a request in a trace, from the API. */
export interface SpanPlace {
  readonly request_id: string;
  readonly trace_id: string;
  readonly span_id: string | null;
  readonly parent_span_id: string | null;
  readonly name: string;
  readonly kind: string;
}

/** A step within its trace. */
export interface InTrace {
  /** The request id of the enclosing step. */
  readonly within: string | undefined;
  readonly name: string;
  readonly kind: string;
}

/** By request. A step whose enclosing span was not recorded is at the top, and so is one in a cycle. */
export function inTraces(places: readonly SpanPlace[]): ReadonlyMap<string, InTrace> {
  const spans = new Map(places.map((place) => [`${place.trace_id}:${place.span_id}`, place]));
  const around = ({ trace_id, parent_span_id }: SpanPlace) =>
    parent_span_id === null ? undefined : spans.get(`${trace_id}:${parent_span_id}`);
  return new Map(
    places.map((place) => {
      const seen = new Set([place.request_id]);
      let at = around(place);
      while (at !== undefined && !seen.has(at.request_id)) {
        seen.add(at.request_id);
        at = around(at);
      }
      const within = at === undefined ? around(place)?.request_id : undefined;
      return [place.request_id, { within, name: place.name, kind: place.kind }];
    }),
  );
}
