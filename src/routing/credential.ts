/**
 * A provider's key stored by Weir, in the gateway thread's memory. Its secrets are readable only there: no
 * plugin, log, record, metric or error may see this value.
 */
export interface Credential {
  /** Unique within its organization. */
  readonly name: string;
  /** Empty if it comes from `weir.toml` and belongs to the deployment. */
  readonly organizationId: string;
  /** Upper-case name of the provider. */
  readonly provider: string;
  /** Secret members by name, such as `api_key`, in plain text; undefined while no key decrypts them ("locked"). */
  readonly secrets: Readonly<Record<string, string>> | undefined;
  /** The provider's other members, such as `region` or `endpoint`. */
  readonly settings: Readonly<Record<string, string>>;
  /** An origin, or with a path that replaces the provider's base path; undefined for the provider's own. */
  readonly baseUrl: string | undefined;
  /** Whether `baseUrl` may be a private address. */
  readonly private: boolean;
  /** Share of the requests among credentials of one provider; 0 means only if the others cannot serve. */
  readonly weight: number;
  /** Patterns of model names with `*`, `!` before one excludes; empty for all. */
  readonly models: readonly string[];
  /** Names that clients use, mapped to deployments, profiles or ARNs. */
  readonly modelMap: Readonly<Record<string, string>>;
  /** Rate-limit policies as text, such as `600;w=60,5000;w=86400;u=cents`. */
  readonly limit: string | undefined;
  /** Fixed headers for every request with it. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether chat streams request their usage; undefined for the default, which depends on `limit`. */
  readonly askUsage: boolean | undefined;
  readonly enabled: boolean;
  /** Whether every organization may use it. */
  readonly shared: boolean;
  /** Milliseconds since 1970: bare model names are looked up in the order in which credentials were added. */
  readonly createdAt: number;
}
