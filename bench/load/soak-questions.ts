import type { Json } from "../../src/plugin-host/contract.ts";
import { callApi, type Weir } from "../../test/e2e/weir.ts";
import type { TrafficKind } from "./traffic-kind.ts";

/** How far back metrics look. Over all time the columns in memory would grow, up to their limit, with the records. */
const FIGURES_MS = 10 * 60_000;

/** What is read from the API and changed through it. `recent` are ids of requests; `next` gives numbers from 0 up to 1. */
export function questions(weir: Weir, recent: readonly string[], next: () => number): readonly TrafficKind[] {
  const some = () => recent[Math.floor(next() * recent.length)];

  async function ask(method: string, path: string, body?: object): Promise<undefined> {
    const response = await callApi(weir, path, { method, ...(body && { body: JSON.stringify(body) }) });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${text.slice(0, 200)}`);
  }
  const ofSome = async (method: string, rest: string, body?: object) => {
    const id = some();
    if (id !== undefined) await ask(method, `/v1/request/${id}/${rest}`, body);
    return undefined;
  };
  const since = (): Json => ({
    request_response_rmt: { request_created_at: { gte: new Date(Date.now() - FIGURES_MS).toISOString() } },
  });
  const search = () => ({ search: `deep gauge "raised by four" ${Math.floor(next() * 9)}*`, filter: "all", limit: 20 });
  const score = () => ({ scores: { accuracy: next() } });

  return [
    { name: "property", weight: 3, run: () => ofSome("PUT", "property", { Soak: String(Math.floor(next() * 9)) }) },
    { name: "score", weight: 1, run: () => ofSome("POST", "score", score()) },
    { name: "body", weight: 1, run: () => ofSome("GET", "body") },
    { name: "query", weight: 1, run: () => ask("POST", "/v1/request/query", { filter: "all", limit: 50 }) },
    { name: "count", weight: 0.5, run: () => ask("POST", "/v1/request/count/query", { filter: "all" }) },
    { name: "search", weight: 0.5, run: () => ask("POST", "/v1/request/query-fast", search()) },
    {
      name: "figures",
      weight: 0.5,
      run: () => ask("POST", "/v1/metrics/query", { filter: since(), group_by: ["model"], time_bucket: "minute" }),
    },
  ];
}
