import type { Migration } from '../platform/database/migrator.ts';

const name = 'merge_requests_deployed_brought';

/**
 * A deployment can only extend the time range of its merge requests, so its own time suffices; previously, all
 * deployments of each merge request were looked up.
 */
export const deploymentsBrought: Migration = {
  name: '0471-deployments-brought',
  up: ({ engine }) => {
    const [least, most] = engine === 'sqlite' ? ['min', 'max'] : ['least', 'greatest'];
    const kept = (column: string, choose: string | undefined) => `${column} = (
      select ${choose}(coalesce(merge_requests.${column}, d.finished_at), d.finished_at)
      from deployments d where d.id = new.deployment_id)`;
    const update = `update merge_requests set ${kept('first_deployed_at', least)}, ${kept('last_deployed_at', most)}
      where id = new.merge_request_id
        and exists (select 1 from deployments d where d.id = new.deployment_id and d.finished_at is not null)`;
    if (engine === 'sqlite') {
      return [
        `drop trigger ${name}`,
        `create trigger ${name} after insert on deployment_merge_requests begin ${update}; end`,
      ];
    }
    return [
      `create or replace function ${name}() returns trigger language plpgsql as $$ begin ${update}; return null; end $$`,
    ];
  },
};
