import { type GatewayHeader, recordedValue } from "./gateway-header.ts";
import type { HeaderName } from "./header-names.ts";

/** What is made of lines that ask something of the gateway. It may look at nothing else. */
type LinesReader<T> = (lines: readonly GatewayHeader[]) => T;

/**
 * The lines of a head that ask something of the gateway: of the `Gateway-*` headers those that are no label, no key and no
 * id. Requests that bring the same ones share this object, so that what follows from the lines alone is worked out once.
 */
export class SettingLines {
  readonly lines: readonly GatewayHeader[];
  readonly #known = new Map<LinesReader<unknown>, { readonly value: unknown }>();
  /** The same lines with one more behind them. */
  readonly longer = new Map<GatewayHeader, SettingLines>();

  constructor(lines: readonly GatewayHeader[] = []) {
    this.lines = lines;
  }

  /** What `read` makes of the lines. Called once, unless it throws: then with every request. */
  once<T>(read: LinesReader<T>): T {
    const known = this.#known.get(read) as { readonly value: T } | undefined;
    if (known !== undefined) return known.value;
    const value = read(this.lines);
    this.#known.set(read, { value });
    return value;
  }
}

/** Of lines and sets of lines together; then all are forgotten, and learnt again. */
const BYTES_MAX = 1_024 * 1_024;
/** About what a line or a set takes beside its text. */
const ENTRY_BYTES = 512;

/**
 * The lines that clients send again and again. Only what may be recorded as it is stays here: a line that holds a
 * credential is read again each time, and so is every set that it is in.
 */
export class LineMemory {
  #none = new SettingLines();
  #lines = new Map<HeaderName, Map<string, GatewayHeader>>();
  #bytes = 0;

  /** A head without such lines. */
  get none(): SettingLines {
    return this.#none;
  }

  line(name: HeaderName, value: string): GatewayHeader {
    const known = this.#lines.get(name)?.get(value);
    if (known !== undefined) return known;
    const { canonical, setting } = name;
    const isKept = setting !== "auth" && recordedValue(setting, value) === value;
    if (!isKept) return { name: canonical, setting, value, isLabel: false, isKept };
    // A copy, because a part of a head would keep all of it in memory.
    const own = Buffer.from(value, "latin1").toString("latin1");
    const line = { name: canonical, setting, value: own, isLabel: false, isKept };
    this.#makeRoom(canonical.length + own.length);
    const ofName = this.#lines.get(name);
    if (ofName === undefined) this.#lines.set(name, new Map([[own, line]]));
    else ofName.set(own, line);
    return line;
  }

  /** The same set with one more line. */
  with(set: SettingLines, line: GatewayHeader): SettingLines {
    const known = set.longer.get(line);
    if (known !== undefined) return known;
    const longer = new SettingLines([...set.lines, line]);
    if (!line.isKept) return longer;
    this.#makeRoom(0);
    set.longer.set(line, longer);
    return longer;
  }

  #makeRoom(bytes: number): void {
    this.#bytes += bytes + ENTRY_BYTES;
    if (this.#bytes <= BYTES_MAX) return;
    this.#none = new SettingLines();
    this.#lines = new Map();
    this.#bytes = bytes + ENTRY_BYTES;
  }
}
