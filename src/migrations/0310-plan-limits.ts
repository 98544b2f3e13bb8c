import type { Migration } from '../platform/database/migrator.ts';

/** Plan limits of the instance. */
export const planLimits: Migration = {
  name: '0310-plan-limits',
  up: () => ["alter table application_settings add column plan_limits text not null default '{}'"],
};
