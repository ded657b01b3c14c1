import type { ConfigError, LoadedConfig } from "../config/load.ts";
import type { Config } from "../config.ts";

/** An option as help shows it and the parser reads it. */
export interface Option {
  readonly type: "string" | "boolean";
  readonly short?: string;
  readonly multiple?: true;
  /** The placeholder of the value in help, such as `FILE`. */
  readonly value?: string;
  readonly description: string;
}

export interface Terminal {
  /** Output for programs: results only. */
  out(text: string): void;
  /** Output for people. */
  err(text: string): void;
  /** Width of the terminal that shows `out`; undefined if it goes to a file or a program. */
  readonly columns?: number | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  /** The complete stdin. */
  readonly stdin?: () => Promise<string>;
  /** Prompts for a line without echo; undefined if stdin is not a terminal. */
  readonly askSecret?: ((prompt: string) => Promise<string>) | undefined;
}

export interface Invocation {
  readonly options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
  readonly args: readonly string[];
  readonly terminal: Terminal;
  readonly config: Config;
  readonly loaded: LoadedConfig;
  /** The errors of a broken configuration, for commands that can run with one; `config` then has the defaults. */
  readonly problem?: ConfigError;
}

/** The exit status. */
export type Run = (invocation: Invocation) => Promise<number>;

export interface Command {
  /** One or two words, such as `keys create`. */
  readonly name: string;
  readonly summary: string;
  /** Arguments after the options, such as `<id>`. All are required, except that a last one such as `[filter…]` may stand for none or several. */
  readonly args?: readonly string[];
  /** An option with which no arguments are allowed. */
  readonly alone?: string;
  readonly options?: Readonly<Record<string, Option>>;
  /** Its words are passed on unparsed, in `args`, and it needs no configuration: it may be a client of any Weir. */
  readonly readsItsOwnWords?: true;
  /** It also runs with a broken configuration, and gets the errors. */
  readonly takesBrokenConfig?: true;
  /** Text below the options. */
  readonly notes?: readonly string[];
  readonly load: () => Promise<Run>;
}
