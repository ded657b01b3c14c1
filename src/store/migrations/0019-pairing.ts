/** How far the bodies go, so that an older copy beside newer records is noticed. */
export const PAIRING = ["create table pairing (id integer primary key not null, seq integer not null)"];
