import type { Migration } from '../platform/database/migrator.ts';

/** Links releases to milestones. */
export const milestoneReleases: Migration = {
  name: '0270-milestone-releases',
  up: () => [
    `create table milestone_releases (
      release_id bigint not null references releases (id) on delete cascade,
      milestone_id bigint not null references milestones (id) on delete cascade,
      primary key (release_id, milestone_id)
    )`,
    'create index milestone_releases_milestone on milestone_releases (milestone_id)',
  ],
};
