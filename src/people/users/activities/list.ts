import { form } from '../../../platform/database/form.ts';
import { shapedList } from '../../../platform/database/shaped.ts';

/** When users were last here, since an instant; who was away longest comes first. */
export const activities = shapedList(form<{ from: number }>()({ values: ['from'] }), (db, { from }) =>
  db
    .selectFrom('users')
    .select(['username', 'last_activity_at'])
    .where('last_activity_at', '>=', from)
    .orderBy('last_activity_at')
    .orderBy('id'),
);
