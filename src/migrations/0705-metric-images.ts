import type { Migration } from '../platform/database/migrator.ts';

/** Metric images of incidents. A row without an issue waits for the deletion of its file. */
export const metricImages: Migration = {
  name: '0705-metric-images',
  up: ({ id, text }) => [
    `create table issue_metric_images (
      id ${id},
      issue_id bigint references issues (id) on delete set null,
      file ${text} not null,
      url ${text},
      url_text ${text},
      created_at bigint not null
    )`,
    'create index issue_metric_images_issue on issue_metric_images (issue_id, id)',
  ],
};
