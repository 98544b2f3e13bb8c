import { type Actor, isAdmin } from '../../access/actor.ts';
import { ownerColumnsOf, type ProjectOrGroup } from '../../access/project-or-group.ts';
import { Role } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import { NotFound } from '../../platform/http/errors.ts';
import type { Noteable } from '../notes/public.ts';
import { titleOf } from './page.ts';
import { requireReadable } from './readable.ts';
import { pageOfPlace } from './store.ts';

/** A wiki page as a noteable, by its ID, for callers who may read the wiki. */
export async function noteablePage(
  { db }: Services,
  caller: Actor,
  place: ProjectOrGroup,
  id: number,
): Promise<Noteable> {
  requireReadable(place);
  const page = await pageOfPlace(db.read, ownerColumnsOf(place), id);
  if (!page) throw new NotFound('Wiki Page');
  return {
    reader: caller,
    target: { type: 'WikiPage::Meta', id: page.id, ...ownerColumnsOf(place) },
    iid: null,
    title: titleOf(page.slug),
    audience: 'wiki',
    hasInternalNotes: false,
    resolvable: false,
    may: {
      comment: place.can('create_note'),
      internal: false,
      manage: place.can('admin_note'),
      chooseTimes: isAdmin(caller) || place.levels.highest >= Role.owner,
      resolve: false,
    },
  };
}
