import { isProject, namespaceOf, type ProjectOrGroup } from '../../access/project-or-group.ts';
import { settingsOf } from '../../access/subjects.ts';
import type { Reader } from '../../platform/database/database.ts';
import { Invalid, MethodNotAllowed } from '../../platform/http/errors.ts';

/** The domains of whose e-mail addresses members may be; undefined where any will do. */
export type Domains = readonly string[] | undefined;

/** What the groups around say: refused where projects take no members at all, else of which domains they may be. */
export async function openTo(db: Reader, place: ProjectOrGroup): Promise<Domains> {
  const above = await db
    .selectFrom('namespace_ancestors as a')
    .innerJoin('namespaces as n', 'n.id', 'a.ancestor_id')
    .select('n.settings')
    .where('a.namespace_id', '=', namespaceOf(place).id)
    .execute();
  const settings = above.map((group) => settingsOf(group));
  if (isProject(place) && settings.some((group) => group.membership_lock === true)) throw new MethodNotAllowed();
  const domains = settings.map((group) => group.allowed_email_domains_list).find((list) => typeof list === 'string');
  return domains === undefined
    ? undefined
    : String(domains)
        .toLowerCase()
        .split(',')
        .map((domain) => domain.trim());
}

/** By every way in, whoever comes by address, by request or from another project; bots have no address of their own. */
export async function checkGroupRules(db: Reader, place: ProjectOrGroup, email: string | undefined): Promise<void> {
  const domains = await openTo(db, place);
  if (domains === undefined || email === undefined) return;
  if (domains.includes(email.toLowerCase().split('@').at(-1) ?? '')) return;
  // Without the address: it is not for whoever runs a group to learn it by trying to add somebody.
  throw new Invalid({ user: [`email does not match the allowed domain of '${domains.join(', ')}'`] });
}
