import { beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Json } from "../../src/plugin-host/contract.ts";
import { startUpstream } from "../e2e/upstream.ts";
import { gatewayHeaders, ROOT, recordOf, startWeir } from "../e2e/weir.ts";
import { until } from "../until.ts";

let text: string;
/** Names and types that a running service shows. */
let shown: Map<string, string>;

beforeAll(async () => {
  await using upstream = await startUpstream();
  await using weir = await startWeir();
  const headers = gatewayHeaders(upstream.origin, {
    "content-type": "application/json",
    "Gateway-Cache-Enabled": "true",
  });
  for (const provider of ["openai", "openai", "made-up-by-a-client"]) {
    const response = await fetch(`${weir.gateway}/v1/chat/completions`, {
      method: "POST",
      headers: { ...headers, "Gateway-Target-Provider": provider },
      body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: `hi ${provider}` }] }),
    });
    await response.text();
    await recordOf(weir, response.headers.get("gateway-id")!);
  }
  // A thread that is busy for more than a second is left out of one response.
  const ofThreads = ["weir_recorded_total", "weir_deliveries_waiting"];
  await until(
    async () => {
      text = await (await fetch(`${weir.api}/metrics`)).text();
      return ofThreads.every((name) => text.includes(name));
    },
    180_000,
    () => text,
  );
  shown = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name!, type!]));
}, 300_000);

/** The names that an expression of Prometheus speaks of, histograms by what they are called as a whole. */
function namesIn(expression: string): string[] {
  return [...expression.matchAll(/\bweir_[a-z0-9_]+/g)].map(([name]) => name.replace(/_(bucket|sum|count)$/, ""));
}

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

test("every metric is shown once, named weir_*, with a type and in a line that Prometheus reads", () => {
  const types = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
  expect(new Set(types).size).toBe(types.length);
  const line = /^(# (HELP|TYPE) \S+ .+|weir_[a-z0-9_]+(\{([a-z_]+="[^"]*",?)*\})? [-+0-9.eInf]+)$/;
  expect(text.split("\n").filter((each) => each !== "" && !line.test(each))).toEqual([]);
});

test("tokens, costs and requests are added up by provider, and a client cannot make up one", () => {
  expect(text).toMatch(/^weir_tokens_total\{provider="OPENAI",kind="input"\} [1-9]/m);
  expect(text).toMatch(/^weir_cost_usd_total\{provider="OPENAI"\} 0\.0\d*[1-9]/m);
  expect(text).toMatch(/^weir_tokens_total\{provider="CUSTOM",kind="output"\} [1-9]/m);
  expect(text).not.toContain("MADE-UP");
  expect(text).toMatch(/^weir_build_info\{version="[^"]+",runtime="bun",region="us"\} 1$/m);
});

test("the dashboard for Grafana names only metrics that there are, and has a panel for most of them", () => {
  const dashboard: Json = JSON.parse(read("deploy/grafana/weir.json"));
  const panels: Json[] = dashboard.panels.filter(({ type }: Json) => type !== "row");
  const used = new Set(panels.flatMap(({ targets }) => targets.flatMap(({ expr }: Json) => namesIn(expr))));
  expect([...used].filter((name) => !shown.has(name))).toEqual([]);
  const left = [...shown.keys()].filter((name) => !used.has(name));
  expect(left.length).toBeLessThan(shown.size / 3);
  expect(new Set(dashboard.panels.map(({ id }: Json) => id)).size).toBe(dashboard.panels.length);
  expect(panels.every(({ title, datasource }) => title !== "" && /^\$\{datasource\}$/.test(datasource.uid))).toBe(true);
});

test("every alert rule names only existing metrics, and describes what happened", () => {
  const { groups }: Json = Bun.YAML.parse(read("deploy/prometheus/alerts.yml"));
  const rules: Json[] = groups.flatMap((group: Json) => group.rules);
  expect(rules.length).toBeGreaterThan(10);
  expect(rules.flatMap(({ expr }) => namesIn(expr)).filter((name) => !shown.has(name))).toEqual([]);
  for (const { alert, labels, annotations } of rules) {
    expect([alert, labels.severity]).toEqual([expect.stringMatching(/^Weir\w+$/), expect.any(String)]);
    expect(annotations.summary).toEqual(expect.any(String));
  }
});

test("the operator's page has a row for each metric, with its type and meaning", () => {
  const page = read("docs/operations.md");
  const rows = new Map(
    [...page.matchAll(/^\| `(weir_[a-z0-9_]+)(?:\{[^}]*\})?`\s*\| (\w+)\s*\| (\S.*\S)\s*\|$/gm)].map(
      ([, name, type]) => [name!, type!],
    ),
  );
  // With `limits_url` only: the tests of it look for it.
  expect(rows.get("weir_limits_server_up")).toBe("gauge");
  rows.delete("weir_limits_server_up");
  expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(shown));
});
