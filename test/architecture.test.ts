import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { architecturePage, ROOMS, type RoomRow } from "../build/rooms.ts";
import { circles } from "./circles.ts";

/** Pure tables may be as long as what they list. */
const TABLES: readonly string[] = ["src/filter/fields.ts", "src/errors.ts"];
const LINES_MAX = 400;
const BUILT_IN_LINES_MAX = 300;

const root = join(import.meta.dir, "..");

interface Import {
  readonly from: string;
  readonly typeOnly: boolean;
}

interface Source {
  /** From the root, such as `src/api/start.ts`. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

function sources(folder: string): Source[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(ts|tsx|mjs)$/.test(name) && !name.includes("node_modules"))
    .map((name) => {
      const path = join(folder, name);
      const text = readFileSync(join(root, path), "utf8");
      return { path, text, imports: importsOf(text) };
    });
}

function importsOf(text: string): Import[] {
  const statements = text.matchAll(/^(?:import|export)\s+(type\s)?[^;"']*?from\s+["']([^"']+)["']/gm);
  const bare = text.matchAll(/^import\s+["']([^"']+)["']/gm);
  const dynamic = text.matchAll(/\bimport\(\s*["']([^"']+)["']/g);
  return [
    ...[...statements].map(([, type, from]) => ({ from: from!, typeOnly: type !== undefined })),
    ...[...bare, ...dynamic].map(([, from]) => ({ from: from!, typeOnly: false })),
  ];
}

/** The file that a relative import names, from the root; of a package something that is no file. */
function targetOf(path: string, from: string): string {
  return from.startsWith(".") ? relative(root, join(root, dirname(path), from)) : from;
}

/** Of `src/api/start.ts`: `api`; of `src/keys.ts`: `keys.ts`. */
function roomOf(path: string): string {
  return path.split("/")[1]!;
}

const src = sources("src");
const builtIns = [...sources("providers"), ...sources("plugins")];
const tests = sources("test");
const everything = [...src, ...builtIns, ...tests, ...sources("build"), ...sources("bench")];

test("every room of src/ is in the matrix, and the page shows the matrix", () => {
  const known = new Set(ROOMS.flatMap(({ rooms }) => rooms));
  expect([...new Set(src.map(({ path }) => roomOf(path)))].filter((room) => !known.has(room))).toEqual([]);
  const page = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
  expect(page).toBe(architecturePage(page));
});

test("rooms import what the matrix allows, with relative paths that end in .ts", () => {
  const wrong = src.flatMap(({ path, imports }) =>
    imports
      .filter(({ from }) => from.startsWith("."))
      .flatMap(({ from, typeOnly }) => {
        const target = targetOf(path, from);
        if (!target.startsWith("src/")) return target === "package.json" ? [] : [`${path} imports ${from}`];
        if (!/\.tsx?$/.test(target)) return [`${path} imports ${from} without .ts`];
        return roomOf(path) === roomOf(target) || allows(roomOf(path), target, typeOnly)
          ? []
          : [`${path} imports ${target}`];
      }),
  );
  expect(wrong).toEqual([]);
});

test("what ARCHITECTURE.md says of features names places that exist", () => {
  const page = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
  const table = page.slice(page.indexOf("## Where a feature lives"));
  const places = [...table.matchAll(/`([^`]+)`/g)].map(([, place]) => place!);
  expect(places.length).toBeGreaterThan(50);
  const isThere = (place: string) => existsSync(join(root, "src", place)) || existsSync(join(root, place));
  expect(places.filter((place) => !isThere(place))).toEqual([]);
});

function allows(room: string, target: string, typeOnly: boolean): boolean {
  const at = ROOMS.findIndex(({ rooms }) => rooms.includes(room));
  const { only, typesOf = [], not = [], typesOnly, files = [] }: RoomRow = ROOMS[at]!;
  if (files.some((file) => target === `src/${file}`)) return true;
  const there = roomOf(target);
  if (typeOnly && typesOf.includes(there)) return true;
  const isAbove = ROOMS.slice(0, at).some(({ rooms }) => rooms.includes(there));
  return isAbove && (only?.includes(there) ?? !not.includes(there)) && (typeOnly || !typesOnly);
}

test("no files import each other in a circle, not even types", () => {
  const found = circles(
    new Map(everything.map(({ path, imports }) => [path, imports.map(({ from }) => targetOf(path, from))])),
  );
  expect(found).toEqual([]);
});

test("a folder of the unified address imports from itself and from those before it", () => {
  const folders = ["admission", "targets", "call", "response"];
  const folderOf = (path: string) => /^src\/gateway\/unified\/(\w+)\//.exec(path)?.[1];
  const wrong = src.flatMap(({ path, imports }) => {
    const own = folderOf(path);
    if (own === undefined) return [];
    const before = folders.slice(0, folders.indexOf(own) + 1);
    const targets = imports.map(({ from }) => targetOf(path, from));
    return targets
      .filter((target) => !before.includes(folderOf(target) ?? own))
      .map((target) => `${path} imports ${target}`);
  });
  expect(wrong).toEqual([]);
});

test("what a file of src/ exports, another file imports", () => {
  const imported = new Set(everything.flatMap(importedNames));
  const unused = src.flatMap(({ path, text }) =>
    [...text.matchAll(/^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm)]
      .filter(([, name]) => !imported.has(`${path} *`) && !imported.has(`${path} ${name}`))
      .map(([, name]) => `${path} exports ${name}`),
  );
  expect(unused).toEqual([]);
});

/** `src/a.ts name` for each import; `src/a.ts *` where a file is imported as a whole. */
function importedNames({ path, text }: Source): string[] {
  const named = [...text.matchAll(/^(?:import|export)\s[^;"']*?\{([^}]*)\}\s+from\s+["']([^"']+)["']/gm)];
  const whole = [...text.matchAll(/(?:\*(?:\s+as\s+\w+)?\s+from\s+|\bimport\(\s*)["']([^"']+)["']/g)];
  return [
    ...named.flatMap(([, names, from]) =>
      [...names!.matchAll(/(?:^|,)\s*(?:type\s+)?(\w+)/g)].map(([, name]) => `${targetOf(path, from!)} ${name}`),
    ),
    ...whole.map(([, from]) => `${targetOf(path, from!)} *`),
  ];
}

test("the API and the recorder ask the ports of engine/, never one of the engines", () => {
  const wrong = src
    .filter(({ path }) => ["api", "recorder"].includes(roomOf(path)))
    .flatMap(({ path, imports }) =>
      imports.filter(({ from }) => /\/engine\/[^/]+\//.test(from)).map(({ from }) => `${path} imports ${from}`),
    );
  expect(wrong).toEqual([]);
});

describe("the gateway's thread parses no body", () => {
  /** What parses JSON there, each a bounded text of its own. */
  const PARSERS: Readonly<Record<string, string>> = {
    "src/gateway/body/content.ts": "called by content-reader.ts for bodies up to 64 kB, else in its worker",
    "src/gateway/cache/response-file.ts": "the head of a stored response, which the cache wrote",
    "src/gateway/retry/plan.ts": "the header Gateway-Fallbacks",
    "src/gateway/unified/admission/fallbacks.ts": "the header Gateway-Fallbacks",
    "src/gateway/further-threads/batch.ts": "what gateway threads send each other",
  };
  /** Modules that parse bodies, and who may call them. */
  const CALLERS: Readonly<Record<string, readonly string[]>> = {
    "canonical.ts": ["src/gateway/body/content.ts", "src/gateway/cache/key.ts"],
    "key.ts": ["src/gateway/body/content-reader.ts", "src/gateway/body/content-worker.ts"],
    "content.ts": ["src/gateway/body/content-reader.ts", "src/gateway/body/content-worker.ts"],
  };
  const gateway = src.filter(({ path }) => roomOf(path) === "gateway");

  test("beyond the files that are named here", () => {
    const parses = ({ text }: Source) => /\bJSON\.parse\b|\bparseJson\b/.test(text);
    expect(
      gateway
        .filter(parses)
        .map(({ path }) => path)
        .sort(),
    ).toEqual(Object.keys(PARSERS).sort());
  });

  test("which are called by the reader of bodies and its worker", () => {
    const wrong = gateway.flatMap(({ path, text }) =>
      [...text.matchAll(/^import\s+(type\s)?([^;"']*?)\s*from\s+["']([^"']+)["']/gm)].flatMap(
        ([, typeOnly, names = "", from = ""]) => {
          const callers = CALLERS[from.split("/").at(-1)!];
          // Where the model stands in a path is found without a parser.
          const isHarmless = typeOnly !== undefined || names.trim() === "{ modelOfPath }";
          return callers === undefined || callers.includes(path) || isHarmless ? [] : [`${path} imports ${from}`];
        },
      ),
    );
    expect(wrong).toEqual([]);
  });

  test("with code of mapping/", () => {
    const wrong = gateway.filter(
      ({ path, imports }) =>
        path !== "src/gateway/body/content.ts" &&
        imports.some(({ from, typeOnly }) => from.includes("/mapping/") && !typeOnly),
    );
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });
});

describe("the tables of docs/dependencies.md", () => {
  const page = readFileSync(join(root, "docs/dependencies.md"), "utf8");
  const rows = [...page.matchAll(/^\| (`.*?`) \| (.*?) \| .* \| (.*?) ?\|$/gm)].flatMap(([, names, licence, places]) =>
    [...names!.matchAll(/`(.+?)`/g)].map(([, name]) => ({ name: name!, licence: licence!, places: places! })),
  );

  test("have every package of a build, with its licence and one exact version", () => {
    const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
    const licences = Object.keys(dependencies).map((name) => [name, packages[`node_modules/${name}`].license]);
    const shown = new Map(rows.map(({ name, licence }) => [name, licence]));
    expect(licences.filter(([name, licence]) => shown.get(name) !== licence)).toEqual([]);
    expect(Object.values<string>(dependencies).filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });

  test("are true for what these packages install: only licences that ask for no more than their text", () => {
    const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
    const installed = Object.entries<{ readonly dev?: boolean; readonly license?: string }>(packages).filter(
      ([path, { dev }]) => path !== "" && dev !== true,
    );
    const wrong = installed.filter(
      ([, { license = "none" }]) => !/^(MIT|MIT-0|ISC|Apache-2\.0|BSD-[23]-Clause)$/.test(license),
    );
    expect(installed.length).toBeGreaterThan(100);
    expect(wrong.map(([path, { license }]) => `${path}: ${license}`)).toEqual([]);
  });

  test("say in which rooms a package is imported", () => {
    const wrong = rows.flatMap(({ name, places }) => {
      const homes = [...places.matchAll(/`src\/([^/`]+)\/?`/g)].map(([, room]) => room!);
      const uses = ({ from }: Import) => from === name || from.startsWith(`${name}/`);
      const rooms = new Set(src.filter(({ imports }) => imports.some(uses)).map(({ path }) => roomOf(path)));
      const isShown = homes.length === 0 || homes.sort().join() === [...rooms].sort().join();
      return isShown ? [] : [`${name}: shown in ${homes}, imported in ${[...rooms]}`];
    });
    expect(wrong).toEqual([]);
    expect(rows.length).toBeGreaterThan(20);
  });
});

test("every package that is imported is in package.json", () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const packageOf = (from: string) => from.split("/", from.startsWith("@") ? 2 : 1).join("/");
  const isPackage = (from: string) => !/^(\.|node:|bun$|bun:|weir\/)/.test(from);
  // The dashboard is bundled when it is built: what it is made of need not be there at run time.
  const used = new Set(
    src
      .filter(({ path }) => roomOf(path) !== "web")
      .flatMap(({ imports }) => imports.map(({ from }) => from))
      .filter(isPackage)
      .map(packageOf),
  );
  expect([...used].filter((name) => !Object.hasOwn(dependencies, name))).toEqual([]);
  const known = new Set([...Object.keys(dependencies), ...Object.keys(devDependencies)]);
  const others = everything.flatMap(({ imports }) => imports.map(({ from }) => from)).filter(isPackage);
  expect(others.map(packageOf).filter((name) => !known.has(name))).toEqual([]);
});

test("only the files of a runtime name Bun or Deno, and none but platform.ts asks which one this is", () => {
  const wrong = [...src, ...builtIns]
    .filter(({ path }) => !/^src\/runtime\/(bun|bun-sockets|deno)\.ts$/.test(path))
    .filter(({ path, text, imports }) => {
      const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "").replace(/"[^"\n]*"|`[^`]*`/g, "");
      const asks = path !== "src/runtime/platform.ts" && /"(Bun|Deno)" in|getBuiltinModule\("bun/.test(text);
      return asks || /\b(Bun|Deno)\b/.test(code) || imports.some(({ from }) => /^bun(:|$)/.test(from));
    });
  expect(wrong.map(({ path }) => path)).toEqual([]);
});

describe("a built-in provider or plugin", () => {
  test("imports types only, from weir/plugin, and what the runtime itself or a folder of its own has", () => {
    const isOwn = (path: string, from: string) => {
      const [folder, name] = relative("plugins", join(dirname(path), from)).split("/");
      return from.startsWith("./") && name !== undefined && relative("plugins", path).startsWith(folder!);
    };
    const wrong = builtIns.flatMap(({ path, imports }) =>
      imports
        .filter(({ from, typeOnly }) => !(from === "weir/plugin" && typeOnly) && !from.startsWith("node:"))
        .filter(({ from }) => !(path.startsWith("plugins/") && isOwn(path, from)))
        .map(({ from }) => `${path} imports ${from}`),
    );
    expect(wrong).toEqual([]);
  });

  test("is the only one that imports weir/plugin", () => {
    // What `weir plugins new` writes is text, and holds such an import.
    const hosts = src.filter(({ path }) => path !== "src/cli/skeletons.ts");
    const wrong = hosts.filter(({ imports }) => imports.some(({ from }) => from === "weir/plugin"));
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  test(`has at most ${BUILT_IN_LINES_MAX} lines`, () => {
    expect(tooLong(builtIns, BUILT_IN_LINES_MAX)).toEqual([]);
  });

  test("has its name nowhere in gateway/", () => {
    const names = builtIns
      .filter(({ path }) => path.startsWith("providers/"))
      .map(({ text }) => /name: "([A-Z0-9_]{3,})"/.exec(text)?.[1])
      .filter((name) => name !== undefined);
    const wrong = src
      .filter(({ path }) => roomOf(path) === "gateway")
      .flatMap(({ path, text }) =>
        names.filter((name) => text.includes(`"${name}"`)).map((name) => `${path}: ${name}`),
      );
    expect(wrong).toEqual([]);
  });
});

test(`a file has at most ${LINES_MAX} lines, unless it is a table`, () => {
  expect(
    tooLong(
      everything.filter(({ path }) => !TABLES.includes(path) && !/migrations/.test(path)),
      LINES_MAX,
    ),
  ).toEqual([]);
});

test("the dashboard reads lists again after a change in one way, which discards what was read before it", () => {
  const readers = src.filter(({ path, text }) => roomOf(path) === "web" && text.includes("invalidateQueries"));
  expect(readers.map(({ path }) => path).sort()).toEqual(["src/web/read-again.ts", "src/web/session.ts"]);
});

test("a class hides its members with #, which holds at run time too", () => {
  const hidden = /^\s+(?:private|protected)\s(?!constructor\()/m;
  expect(everything.filter(({ text }) => hidden.test(text)).map(({ path }) => path)).toEqual([]);
});

test("no test is switched off, and none is alone", () => {
  const pattern = new RegExp(
    `\\b(test|describe|it)\\.(${["skip", "only", "todo", "failing", "if", "skipIf"].join("|")})\\b`,
  );
  expect(tests.filter(({ text }) => pattern.test(text)).map(({ path }) => path)).toEqual([]);
});

test("nothing is left for later, and the type checker is not silenced", () => {
  // Spelt so that this file does not find itself.
  const marks = [/\bTO[D]O\b/, /\bFIX[M]E\b/, /@ts-(ignore|expect-error|nocheck)\b/, /\bas any(?=\s*[;,)\].])/];
  const wrong = everything
    .filter(({ path }) => path !== "test/architecture.test.ts")
    .flatMap(({ path, text }) => marks.filter((mark) => mark.test(text)).map((mark) => `${path}: ${mark}`));
  expect(wrong).toEqual([]);
});

test("no file names a place outside the repository", () => {
  const places = ["/work" + "/", "shared" + "/spec", "/home" + "/", "/root" + "/."];
  const wrong = everything.flatMap(({ path, text }) =>
    places.filter((place) => text.includes(place)).map((place) => `${path}: ${place}`),
  );
  expect(wrong).toEqual([]);
});

test("the lock file names no registry", () => {
  expect(readFileSync(join(root, "package-lock.json"), "utf8")).not.toMatch(/"resolved"|https?:\/\/[^"]*\.tgz/);
});

function tooLong(files: readonly Source[], max: number): string[] {
  return files
    .map(({ path, text }) => ({ path, lines: text.split("\n").length - 1 }))
    .filter(({ lines }) => lines > max)
    .map(({ path, lines }) => `${path}: ${lines} lines`);
}

// A property that rejects too many values fails by chance, and the fewer its runs, the sooner.
test("no property rejects values: it draws others, or holds for them too", () => {
  const rejects = /\bfc\.pre\(/;
  const named = tests.filter(({ path }) => path !== "test/architecture.test.ts");
  expect(named.filter(({ text }) => rejects.test(text)).map(({ path }) => path)).toEqual([]);
});

// `test/chance.ts` has the property runs, numbers and bytes that a seed repeats.
test("everything random in a test comes from its seed", () => {
  const unseeded = /\bMath\.random\b|\brandomBytes\(|\bgetRandomValues\(|\bfc\.(assert|sample|check)\(/;
  const found = readdirSync(import.meta.dir, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tsx?$/.test(path) && !["chance.ts", "chance.test.ts", "architecture.test.ts"].includes(path))
    .filter((path) => unseeded.test(readFileSync(join(import.meta.dir, path), "utf8")));
  expect(found).toEqual([]);
});
