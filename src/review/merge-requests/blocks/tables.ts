import type { Generated, Selectable } from 'kysely';

export interface MergeRequestBlocksTable {
  id: Generated<number>;
  /** The merge request that has to be merged first. */
  blocking_id: number;
  blocked_id: number;
}

export type BlockRow = Selectable<MergeRequestBlocksTable>;

declare module '../../../platform/database/tables.ts' {
  interface Tables {
    merge_request_blocks: MergeRequestBlocksTable;
  }
}
