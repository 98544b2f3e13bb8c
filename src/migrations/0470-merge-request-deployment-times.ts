import type { Migration, MigrationDialect } from '../platform/database/migrator.ts';

const times = `(select min(d.finished_at) from deployment_merge_requests dm join deployments d on d.id = dm.deployment_id
  where dm.merge_request_id = merge_requests.id)`;

const kept = `update merge_requests set first_deployed_at = ${times},
  last_deployed_at = ${times.replace('min(', 'max(')}`;

/** The changes that affect deployment times, with the merge requests concerned. */
const changes = [
  ['brought', 'insert on deployment_merge_requests', 'id = new.merge_request_id'],
  ['withdrawn', 'delete on deployment_merge_requests', 'id = old.merge_request_id'],
  [
    'finished',
    'update of finished_at on deployments',
    'id in (select merge_request_id from deployment_merge_requests where deployment_id = new.id)',
  ],
] as const;

function triggers({ engine }: Pick<MigrationDialect, 'engine'>): string[] {
  return changes.flatMap(([change, event, which]) => {
    const name = `merge_requests_deployed_${change}`;
    const update = `${kept} where ${which}`;
    if (engine === 'sqlite') return [`create trigger ${name} after ${event} begin ${update}; end`];
    return [
      `create function ${name}() returns trigger language plpgsql as $$ begin ${update}; return null; end $$`,
      `create trigger ${name} after ${event} for each row execute function ${name}()`,
    ];
  });
}

const facts = ['has_labels', 'has_assignees', 'has_reviewers', 'has_approvals'] as const;

/**
 * Stores the first and last deployment time with each merge request, by triggers, so that lists between two times use
 * an index, also in the default order. Reactions of one user have their own index. Merge requests with any label,
 * assignee, reviewer or approval have an index for counting, and unmerged ones an index by id, the order in which
 * sorting by merge time leaves them.
 */
export const mergeRequestDeploymentTimes: Migration = {
  name: '0470-merge-request-deployment-times',
  up: (dialect) => [
    'alter table merge_requests add column first_deployed_at bigint',
    'alter table merge_requests add column last_deployed_at bigint',
    `${kept} where id in (select merge_request_id from deployment_merge_requests)`,
    ...triggers(dialect),
    ...['first', 'last'].map(
      (which) => `create index merge_requests_${which}_deployed
        on merge_requests (project_id, ${which}_deployed_at, state, created_at, id)
        where ${which}_deployed_at is not null`,
    ),
    ...facts.map(
      (fact) => `create index merge_requests_${fact} on merge_requests (project_id, state) where ${fact} = 1`,
    ),
    'drop index merge_requests_project_created',
    `create index merge_requests_project_created
      on merge_requests (project_id, created_at, id, first_deployed_at, last_deployed_at)`,
    'drop index merge_requests_project_state',
    `create index merge_requests_project_state
      on merge_requests (project_id, state, created_at, id, first_deployed_at, last_deployed_at)`,
    'create index award_emoji_of_user on award_emoji (user_id, awardable_type, awardable_id)',
    'create index merge_requests_project_state_id on merge_requests (project_id, state, id)',
  ],
};
