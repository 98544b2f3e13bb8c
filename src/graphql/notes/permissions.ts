import { isAdmin } from '../../access/actor.ts';
import { Role } from '../../access/roles.ts';
import type { Entity } from '../../platform/http/in-process.ts';
import type { ResolverContext } from '../engine/context.ts';

/** Something that is written about, as the API tells it. */
export interface Noteable {
  readonly kind: 'MergeRequest' | 'Issue' | 'Snippet';
  readonly entity: Entity;
}

export interface NoteablePermissions {
  readonly comment: boolean;
  readonly manage: boolean;
  readonly resolve: boolean;
}

const nothing: NoteablePermissions = { comment: false, manage: false, resolve: false };

/** What the caller may do about the notes of something: it decides what an editor offers, and nothing else. */
export async function noteablePermissions(
  context: ResolverContext,
  { kind, entity }: Noteable,
): Promise<NoteablePermissions> {
  const { caller } = context;
  // A snippet of nobody's project: whoever is signed in and sees it.
  if (entity.project_id == null) return { ...nothing, comment: caller.user !== null };
  const subject = await context.project(entity.project_id);
  if (!subject || !caller.user) return nothing;
  const isMember = subject.levels.highest >= Role.guest || isAdmin(caller);
  const comment = subject.can('create_note') && (entity.discussion_locked !== true || isMember);
  const plans = subject.can(kind === 'Issue' ? 'admin_issue' : 'admin_merge_request');
  return {
    comment,
    manage: subject.can('admin_note'),
    resolve: comment && kind !== 'Snippet' && (plans || entity.author?.id === caller.user.id),
  };
}
