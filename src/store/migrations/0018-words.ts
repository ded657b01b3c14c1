/** Which tables of the index of words there are; each is made with its first record (`store/words/shards.ts`). */
export const WORDS = [
  `create table word_shards (
    shard integer primary key not null,
    removals integer default 0 not null,
    steps integer
  )`,
];
