/** Where a request stands in a trace, as the API says it. */
export interface SpanPlace {
  readonly request_id: string;
  readonly trace_id: string;
  readonly span_id: string | null;
  readonly parent_span_id: string | null;
  readonly name: string;
  readonly kind: string;
}

/** What a step is within its trace. */
export interface InTrace {
  /** The step around it, by its request's id. */
  readonly within: string | undefined;
  readonly name: string;
  readonly kind: string;
}

/** By request. A step whose surrounding span was not recorded stands at the top, and so does one that would be within itself. */
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
