import { expect, test } from "bun:test";
import { migrate } from "../../src/store/migrate.ts";
import { movePosition, placesOf, readPositions, setPosition, setPositions } from "../../src/store/spool-positions.ts";
import { openStore } from "../../src/store/store.ts";
import { ownDirectory } from "./open.ts";

const AT = { segment: 3, offset: 40 };
const LATER = { segment: 4, offset: 8 };

test("positions of an earlier version, which stored one, begin where reading resumes", async () => {
  using directory = ownDirectory();
  const store = await openStore(directory.config, "write");
  await migrate(store);
  const places = placesOf(directory.config);
  expect(await readPositions(store.records, places)).toBeUndefined();
  await store.records.batch([setPosition(places.resume, AT, 1)]);
  expect(await readPositions(store.records, places)).toMatchObject({ resume: AT, read: AT });
  await store.records.batch(setPositions(places, { resume: AT, read: LATER }, 2));
  expect(await readPositions(store.records, places)).toMatchObject({ resume: AT, read: LATER });
  await movePosition(directory.config, store.records, LATER);
  expect(await readPositions(store.records, places)).toMatchObject({ resume: LATER, read: LATER });
  await store.close();
});
