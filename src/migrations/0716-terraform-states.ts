import type { Migration } from '../platform/database/migrator.ts';

/** Terraform states with their locks and versions. */
export const terraformStates: Migration = {
  name: '0716-terraform-states',
  up: ({ id, text }) => [
    `create table terraform_states (
      id ${id},
      project_id bigint not null references projects (id) on delete cascade,
      name ${text} not null,
      lock_id ${text},
      lock_info text,
      locked_by_id bigint references users (id) on delete set null,
      locked_at bigint,
      created_at bigint not null,
      updated_at bigint not null
    )`,
    'create unique index terraform_states_name on terraform_states (project_id, name)',
    'create index terraform_states_locked_by on terraform_states (locked_by_id) where locked_by_id is not null',

    `create table terraform_state_versions (
      id ${id},
      state_id bigint not null references terraform_states (id) on delete cascade,
      serial bigint not null,
      storage_key text not null,
      size bigint not null,
      sha256 text not null,
      created_by_id bigint references users (id) on delete set null,
      created_at bigint not null
    )`,
    'create unique index terraform_state_versions_serial on terraform_state_versions (state_id, serial)',
    'create index terraform_state_versions_latest on terraform_state_versions (state_id, id)',
    'create unique index terraform_state_versions_key on terraform_state_versions (storage_key)',
    `create index terraform_state_versions_created_by on terraform_state_versions (created_by_id)
      where created_by_id is not null`,
  ],
};
