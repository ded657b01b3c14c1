/** The highest record number in the bodies' file, so that an older copy beside newer records is detected. */
export const PAIRING = ["create table pairing (id integer primary key not null, seq integer not null)"];
