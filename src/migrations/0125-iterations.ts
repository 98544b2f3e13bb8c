import type { Migration } from '../platform/database/migrator.ts';

/** Iterations of groups and their cadences. */
export const iterations: Migration = {
  name: '0125-iterations',
  up: (dialect) => [
    `create table iteration_cadences (
      id ${dialect.id},
      namespace_id bigint not null references namespaces (id) on delete cascade,
      title ${dialect.text} not null,
      description text,
      start_date text not null,
      duration_in_weeks integer not null,
      iterations_in_advance integer not null,
      automatic integer not null default 1,
      created_at bigint not null,
      updated_at bigint not null
    )`,
    'create index iteration_cadences_namespace on iteration_cadences (namespace_id, id)',
    'create unique index iteration_cadences_title on iteration_cadences (namespace_id, title)',

    `create table iterations (
      id ${dialect.id},
      iid bigint not null,
      sequence integer not null,
      cadence_id bigint not null references iteration_cadences (id) on delete cascade,
      namespace_id bigint not null references namespaces (id) on delete cascade,
      title ${dialect.text},
      description text,
      start_date text not null,
      due_date text not null,
      created_at bigint not null,
      updated_at bigint not null
    )`,
    'create unique index iterations_iid on iterations (namespace_id, iid)',
    'create unique index iterations_sequence on iterations (cadence_id, sequence)',
    'create index iterations_order on iterations (namespace_id, cadence_id, due_date, id)',
    ...dialect.search({ table: 'iterations', columns: ['title'] }),
  ],
};
