import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { seededNumbers } from "../../bench/seeded-numbers.ts";
import type { Json } from "../../src/plugin-host/contract.ts";
import { RaceModel } from "./race-model.ts";
import type { Upstream } from "./upstream.ts";
import { type ApiRecord, callApi, gatewayHeaders, queryIds, startWeir, until, type Weir } from "./weir.ts";

const CLIENTS = 8;
const MODELS = ["gpt-4o-mini", "gpt-4o"];
const PATHS = ["/v1/chat/completions", "/v1/chat/completions", "/v1/chat/completions", "/slow?ms=600", "/endless"];
/** Statuses that the service may return for a change while it starts, or is killed. */
const MAYBE = new Set([429, 500, 502, 503, 504]);

interface RaceResult {
  readonly requests: number;
  readonly changes: number;
  readonly kills: number;
  /** What must be true and is not. */
  readonly wrong: readonly string[];
}

interface RaceOptions {
  readonly seed: number;
  /** Actions of each client between two kills. */
  readonly actions: number;
  readonly kills: number;
}

/**
 * Clients that do anything to one service and to the same records at once, while it is killed and started again; then
 * what must be true is looked at. The seed decides what each client does and when the service is killed; how their
 * actions meet depends on the machine.
 */
export async function race(upstream: Upstream, { seed, actions, kills }: RaceOptions): Promise<RaceResult> {
  const dataDirectory = mkdtempSync(join(tmpdir(), "weir-race-"));
  const model = new RaceModel();
  let weir = await startWeir({ dataDirectory });
  try {
    const clients = Array.from({ length: CLIENTS }, (_, n) => new Client(`c${n}`, seed * 1_000 + n, model, upstream));
    const next = seededNumbers(seed);
    for (let round = 0; round <= kills; round++) {
      const acting = Promise.all(clients.map((client) => client.act(weir, actions)));
      if (round < kills) {
        await Promise.race([acting, sleep(150 + next() * 900)]);
        await weir.kill();
      }
      await acting;
      if (round < kills) weir = await startWeir({ dataDirectory });
    }
    const wrong = [...model.surprises, ...model.judge(await finished(weir, model.ids())), ...(await sumsOf(weir))];
    return { requests: model.ids().length, changes: model.changes, kills, wrong };
  } finally {
    await weir.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  }
}

/** The records of these ids, once none is in flight. */
async function finished(weir: Weir, ids: readonly string[]): Promise<readonly ApiRecord[]> {
  let records: ApiRecord[] = [];
  await until(
    async () => {
      records = await queryIds(weir, ids);
      return records.every(({ response_status }) => response_status !== null);
    },
    180_000,
    () => "records stay in flight",
  );
  return records;
}

/** Whether counts and sums say what the records say. */
async function sumsOf(weir: Weir): Promise<readonly string[]> {
  const ask = async (path: string, body: object): Promise<Json> => {
    const response = await callApi(weir, path, { method: "POST", body: JSON.stringify(body) });
    return (JSON.parse(await response.text()) as Json).data;
  };
  const rows: ApiRecord[] = await ask("/v1/request/query", { filter: "all", limit: 1_000 });
  const count = await ask("/v1/request/count/query", { filter: "all" });
  const [sums] = await ask("/v1/metrics/query", { filter: "all" });
  const cost = rows.reduce((sum, row) => sum + Number(row["cost"] ?? 0), 0);
  const wrong: string[] = [];
  if (count !== rows.length || sums.requests !== rows.length)
    wrong.push(`${rows.length} records, the count says ${count}, the metrics ${sums.requests}`);
  if (Math.abs(cost - Number(sums.cost ?? 0)) > 1e-9) wrong.push(`costs of ${cost}, the metrics say ${sums.cost}`);
  return wrong;
}

/** One of those who act at once. Changes of one name to one record are one client's; so the last one counts. */
class Client {
  readonly #name: string;
  readonly #next: () => number;
  readonly #model: RaceModel;
  readonly #upstream: Upstream;
  #turn = 0;

  constructor(name: string, seed: number, model: RaceModel, upstream: Upstream) {
    this.#name = name;
    this.#next = seededNumbers(seed);
    this.#model = model;
    this.#upstream = upstream;
  }

  async act(weir: Weir, actions: number): Promise<void> {
    for (let n = 0; n < actions; n++) {
      const kind = this.#next();
      const id = this.#model.some(this.#next());
      try {
        if (kind < 0.35 || id === undefined) await this.#send(weir);
        else if (kind < 0.5) await this.#change(weir, id, "property");
        else if (kind < 0.6) await this.#change(weir, id, "score");
        else if (kind < 0.65) await this.#rate(weir, id);
        else if (kind < 0.75) await this.#remove(weir, id);
        else await this.#beside(weir, kind);
      } catch {
        await sleep(5); // the service is away; what was under way may have been done
      }
    }
  }

  async #send(weir: Weir): Promise<void> {
    const path = PATHS[Math.floor(this.#next() * PATHS.length)]!;
    const body = {
      model: MODELS[Math.floor(this.#next() * MODELS.length)],
      stream: this.#next() < 0.5,
      messages: [{ role: "user", content: `How deep? ${this.#next()}` }],
    };
    const headers = { "Content-Type": "application/json", "Gateway-Session-Id": `s-${Math.floor(this.#next() * 5)}` };
    const response = await fetch(weir.gateway + path, {
      method: "POST",
      headers: gatewayHeaders(this.#upstream.origin, headers),
      body: JSON.stringify(body),
      ...(path === "/endless" && { signal: AbortSignal.timeout(100 + this.#next() * 500) }),
    });
    const id = response.headers.get("gateway-id");
    if (id === null) return;
    this.#model.seen(id);
    await response.arrayBuffer();
    this.#model.whole(id, response.status);
  }

  async #change(weir: Weir, id: string, kind: "property" | "score"): Promise<void> {
    const value = ++this.#turn;
    const name = this.#name;
    const change = this.#model.begin(id, `${kind} ${name}`, String(value));
    const [method, body] =
      kind === "property" ? ["PUT", { [name]: String(value) }] : ["POST", { scores: { [name]: value } }];
    await this.#settle(weir, id, `/v1/request/${id}/${kind}`, method as string, body as object, change);
  }

  /** A rating has one value for all: each record is rated by one client. */
  async #rate(weir: Weir, id: string): Promise<void> {
    if (Number.parseInt(id.slice(-2), 16) % CLIENTS !== Number(this.#name.slice(1))) return;
    const rating = this.#next() < 0.5;
    const change = this.#model.begin(id, "feedback", String(rating));
    await this.#settle(weir, id, `/v1/request/${id}/feedback`, "POST", { rating }, change);
  }

  async #settle(weir: Weir, id: string, path: string, method: string, body: object, change: { done: boolean }) {
    const response = await callApi(weir, path, { method, body: JSON.stringify(body) });
    await response.arrayBuffer();
    if (response.status === 200) change.done = true;
    else if (response.status === 404) this.#model.notFound(id, path);
    else if (!MAYBE.has(response.status)) this.#model.surprises.push(`${method} ${path} answered ${response.status}`);
  }

  async #remove(weir: Weir, id: string): Promise<void> {
    this.#model.removing(id);
    const body = JSON.stringify({ requestIds: [id] });
    const response = await callApi(weir, "/v1/request", { method: "DELETE", body });
    const { data } = (await response.json()) as Json;
    if (response.status === 200 && data > 0) this.#model.removed(id);
  }

  /** What must neither lose nor change anything that is looked at. */
  async #beside(weir: Weir, kind: number): Promise<void> {
    const post = async (path: string, body: object, method = "POST") => {
      const response = await callApi(weir, path, { method, body: JSON.stringify(body) });
      await response.arrayBuffer();
      if (response.status !== 200 && !MAYBE.has(response.status) && response.status !== 404)
        this.#model.surprises.push(`${method} ${path} answered ${response.status}`);
    };
    if (kind < 0.8) await post("/v1/session/query", { filter: "all" });
    else if (kind < 0.86) await post("/v1/metrics/query", { filter: "all", group_by: ["model"] });
    else if (kind < 0.9) await post("/v1/retention", { days: 1 + Math.floor(this.#next() * 9), body_days: 1 }, "PUT");
    else if (kind < 0.94) await post("/v1/retention/run", {});
    else if (kind < 0.97) await post(`/v1/models/${MODELS[0]}/expedite`, {});
    else {
      const price = { provider: "CUSTOM", model: MODELS[0], input: this.#next(), output: this.#next() };
      await post("/v1/models/prices", price, "PUT");
    }
  }
}
