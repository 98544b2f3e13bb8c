import { type SqlBool, sql } from 'kysely';
import { readsKept } from '../../../access/visibility/kept-to-members.ts';
import type { Viewer } from '../../../access/visibility/visible.ts';
import { form } from '../../../platform/database/form.ts';
import { list } from '../../../platform/list-kit/list.ts';
import { byId } from '../../../platform/list-kit/order.ts';

interface GroupScope extends Viewer {
  readonly group: number;
}

const scope = form<GroupScope>()({ values: ['group', 'user', 'now'] });

/** The repositories of images of the projects in and below a group. */
export const groupRepositoryList = list({
  id: 'registry_repositories.id',
  scope,
  filters: {},
  orders: { id: byId },
  select: (db, ask) =>
    db
      .selectFrom('registry_repositories')
      .selectAll('registry_repositories')
      .where(
        sql<SqlBool>`registry_repositories.project_id in (select p.id from projects p
          where p.namespace_id in (select namespace_id from namespace_ancestors where ancestor_id = ${ask.group})
            and ${readsKept('container_registry_access_level', ask)})`,
      ),
});
