import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { Role, Visibility } from '../../access/roles.ts';
import { memberNamespaceIds, type Viewer } from '../../access/visibility/visible.ts';
import { contains } from '../../platform/database/expressions.ts';
import { type BoundFilterOf, boundProperties } from '../../platform/database/form.ts';
import { param } from '../../platform/http/params.ts';
import { choice, compare, matches } from '../../platform/list-kit/filters.ts';
import { list } from '../../platform/list-kit/list.ts';
import { byExpression } from '../../platform/list-kit/order.ts';

type Condition = RawBuilder<SqlBool>;

/** The groups of the list, its viewer and the current date. */
export interface IterationScope extends Viewer {
  readonly group: number;
  readonly above: boolean;
  readonly below: boolean;
  readonly today: string;
}

const scope = boundProperties<IterationScope>()({ values: ['group', 'user', 'now', 'today'] });
type Scope = BoundFilterOf<typeof scope>;

function visible({ sees, user, now }: Scope): Condition {
  if (sees === 'all') return sql`1 = 1`;
  const member: Condition =
    user === undefined ? sql`1 = 0` : sql`n.id in (${memberNamespaceIds(user, Role.minimal, now)})`;
  return sql`(n.visibility >= ${sql.lit(Visibility[sees])} or ${member})`;
}

function places(ask: Scope): Condition {
  const { group, above, below } = ask;
  const kin: Condition[] = [sql`iterations.namespace_id = ${group}`];
  if (above) {
    kin.push(
      sql`iterations.namespace_id in (select ancestor_id from namespace_ancestors where namespace_id = ${group})`,
    );
  }
  if (below) {
    kin.push(sql`iterations.namespace_id in (select a.namespace_id from namespace_ancestors a
      join namespaces n on n.id = a.namespace_id where a.ancestor_id = ${group} and ${visible(ask)})`);
  }
  return sql`(${sql.join(kin, sql` or `)})`;
}

const upcoming = ({ today }: Scope): Condition => sql`iterations.start_date > ${today}`;
const current = ({ today }: Scope): Condition =>
  sql`iterations.start_date <= ${today} and iterations.due_date >= ${today}`;

/** Iterations of groups, by cadence and end date. */
export const iterationList = list({
  id: 'iterations.id',
  scope,
  filters: {
    state: choice({
      opened: ({ today }: Scope): Condition => sql`iterations.due_date >= ${today}`,
      upcoming,
      started: current,
      current,
      closed: ({ today }: Scope): Condition => sql`iterations.due_date < ${today}`,
      all: null,
    }),
    search: matches(param.string(), (text): Condition => {
      const ofCadence = sql`exists (select 1 from iteration_cadences c where c.id = iterations.cadence_id
        and ${contains(sql.ref<string>('c.title'), text)})`;
      return sql`(${contains(sql.ref<string>('iterations.title'), text)} or ${ofCadence})`;
    }),
    updated_after: compare('iterations.updated_at', '>=', param.dateTime()),
    updated_before: compare('iterations.updated_at', '<=', param.dateTime()),
  },
  orders: {
    cadence: byExpression(({ direction }) => [
      [sql.ref('iterations.cadence_id'), direction],
      [sql.ref('iterations.due_date'), direction],
    ]),
  },
  select: (db, ask) => db.selectFrom('iterations').selectAll('iterations').where(places(ask)),
});
