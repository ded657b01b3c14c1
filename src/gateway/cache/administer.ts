import type { CacheEntryView, CachePage, CachePurge, CacheStatus } from "../../threads.ts";
import type { ResponseCache } from "./response-cache.ts";

/** The cache functions that the API calls, always for one organization. */
export interface CacheAdministration {
  cacheStatus(organizationId: string): CacheStatus;
  cacheEntries(organizationId: string, page: CachePage): Promise<readonly CacheEntryView[]>;
  purgeCache(organizationId: string, purge: CachePurge): Promise<number>;
}

export function administer(cache: ResponseCache, bytesMax: number): CacheAdministration {
  return {
    cacheStatus: (organizationId) => ({ ...cache.store.totalsOf(organizationId), bytesMax }),

    async cacheEntries(organizationId, { limit, offset }) {
      await cache.store.loaded;
      const shown = cache.store.entriesOf(organizationId).slice(offset, offset + limit);
      const views = shown.map(async (entry): Promise<CacheEntryView | undefined> => {
        const origin = await cache.store.originOf(entry);
        if (origin === undefined) return undefined;
        const { key, place, createdAt, expiresAt, bytes } = entry;
        return { key, place, createdAt, expiresAt, bytes, requestId: origin.requestId, model: origin.model ?? null };
      });
      return (await Promise.all(views)).filter((view) => view !== undefined);
    },

    purgeCache(organizationId, { key, model, requestId, property }) {
      const all = key === undefined && model === undefined && requestId === undefined && property === undefined;
      return cache.purge(organizationId, (origin, its) => {
        if (all) return true;
        if (key !== undefined && its !== key) return false;
        if (model !== undefined && origin.model !== model) return false;
        if (requestId !== undefined && origin.requestId !== requestId) return false;
        return property === undefined || hasProperty(origin.properties, property);
      });
    },
  };
}

function hasProperty(
  properties: Readonly<Record<string, string>>,
  { name, value }: NonNullable<CachePurge["property"]>,
): boolean {
  return Object.hasOwn(properties, name) && (value === undefined || properties[name] === value);
}
