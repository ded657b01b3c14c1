/** The tables of the word index that exist; each is created with its first record (`store/words/shards.ts`). */
export const WORDS = [
  `create table word_shards (
    shard integer primary key not null,
    removals integer default 0 not null,
    steps integer
  )`,
];
