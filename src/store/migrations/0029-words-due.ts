/** Records whose words are not in the index yet (`store/words/due.ts`). */
export const WORDS_DUE = ["create table words_due (id integer primary key not null, seqs text not null)"];
