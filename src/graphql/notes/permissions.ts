import { isAdmin } from '../../access/actor.ts';
import { Role } from '../../access/roles.ts';
import type { Entity } from '../../platform/http/in-process.ts';
import type { ResolverContext } from '../engine/context.ts';

/** An object that can have notes, as the API returns it. */
export interface Noteable {
  readonly kind: 'MergeRequest' | 'Issue' | 'Snippet';
  readonly entity: Entity;
}

export interface NoteablePermissions {
  readonly comment: boolean;
  readonly manage: boolean;
  readonly resolve: boolean;
}

const noPermissions: NoteablePermissions = { comment: false, manage: false, resolve: false };

/** What the caller may do with the notes of an object. Clients use it to show or hide controls; it grants nothing. */
export async function noteablePermissions(
  context: ResolverContext,
  { kind, entity }: Noteable,
): Promise<NoteablePermissions> {
  const { caller } = context;
  // A personal snippet: every signed-in user who can see it may comment.
  if (entity.project_id == null) return { ...noPermissions, comment: caller.user !== null };
  const subject = await context.project(entity.project_id);
  if (!subject || !caller.user) return noPermissions;
  const isMember = subject.levels.highest >= Role.guest || isAdmin(caller);
  const comment = subject.can('create_note') && (entity.discussion_locked !== true || isMember);
  const manages = subject.can(kind === 'Issue' ? 'admin_issue' : 'admin_merge_request');
  return {
    comment,
    manage: subject.can('admin_note'),
    resolve: comment && kind !== 'Snippet' && (manages || entity.author?.id === caller.user.id),
  };
}
