import type { Services } from '../../../access/services.ts';
import type { User } from '../../../access/tables.ts';
import type { Reader } from '../../../platform/database/database.ts';
import type { DomainEvents } from '../../../platform/domain-events.ts';
import { noteablePart } from './noteable.ts';
import { type ProjectWithNamespace, projectPart, userPart, utcText } from './parts.ts';

/** Payload for an added or removed emoji reaction. */
export async function emojiPayload(
  services: Services,
  db: Reader,
  located: ProjectWithNamespace,
  user: User,
  {
    action,
    award,
    about,
  }: Pick<DomainEvents['award.changed'], 'action' | 'award'> & {
    readonly about: { readonly type: string; readonly id: number | null };
  },
): Promise<object> {
  const { part, url } = await noteablePart(services, db, located, about.type, about.id);
  const onNote = award.awardable_type === 'Note';
  return {
    object_kind: 'emoji',
    event_type: action,
    user: userPart(services, user),
    project_id: located.project.id,
    project: projectPart(services, located),
    object_attributes: {
      user_id: award.user_id,
      created_at: utcText(award.created_at),
      id: award.id,
      name: award.name,
      awardable_type: award.awardable_type,
      awardable_id: award.awardable_id,
      updated_at: utcText(award.updated_at),
      action,
      awarded_on_url: onNote ? `${url}#note_${award.awardable_id}` : url,
    },
    ...part,
  };
}
