import { sql } from 'kysely';
import { type BoundFilterOf, boundProperties } from '../../../platform/database/form.ts';
import { param } from '../../../platform/http/params.ts';
import { choice, equals } from '../../../platform/list-kit/filters.ts';
import { list } from '../../../platform/list-kit/list.ts';
import { byId } from '../../../platform/list-kit/order.ts';

const scope = boundProperties<{ readonly project: number }>()({ values: ['project'] });

/** Current and past cars of a project's merge trains. */
export const carList = list({
  id: 'merge_train_cars.id',
  scope,
  filters: {
    target_branch: equals('merge_train_cars.target_branch', param.string()),
    scope: choice({
      active: sql`merge_train_cars.merged_at is null`,
      complete: sql`merge_train_cars.merged_at is not null`,
    }),
  },
  orders: { id: byId },
  select: (db, ask: BoundFilterOf<typeof scope>) =>
    db.selectFrom('merge_train_cars').selectAll().where('merge_train_cars.project_id', '=', ask.project),
});
