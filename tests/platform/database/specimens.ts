import type { Generated } from 'kysely';
import type { Migration } from '../../../src/platform/database/migrator.ts';

interface ShelvesTable {
  id: Generated<number>;
  capacity: number;
}

interface SpecimensTable {
  id: Generated<number>;
  shelf_id: number | null;
  title: string;
  size: Generated<number>;
  picture: Uint8Array | null;
}

declare module '../../../src/platform/database/tables.ts' {
  interface Tables {
    specimen_shelves: ShelvesTable;
    specimens: SpecimensTable;
  }
}

/** Two tables with every kind of constraint. */
export const migrations: readonly Migration[] = [
  {
    name: '0001-specimens',
    up: ({ id, text, blob, ref }) => [
      `create table specimen_shelves (id ${id}, capacity bigint not null)`,
      `create table specimens (
        id ${id},
        shelf_id ${ref('specimen_shelves')} on delete cascade,
        title ${text} not null,
        size bigint not null default 0,
        picture ${blob},
        unique (shelf_id, title),
        constraint size_is_possible check (size >= 0)
      )`,
      'create unique index specimens_lower_title on specimens (lower(title)) where shelf_id is null',
    ],
  },
];
