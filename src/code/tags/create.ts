import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { User } from '../../access/tables.ts';
import { createTag as createTagObject } from '../../platform/git/objects/commit-write.ts';
import { isTagName } from '../../platform/git/refs/refname.ts';
import { BadRequest, Conflict, type HttpError } from '../../platform/http/errors.ts';
import { type MoveResult, moveRefsPlainly } from '../pushes/service.ts';
import { committerOf, repositoryOf, resolveCommit } from '../repository/public.ts';
import { presentTag, taggedCommit } from './read.ts';
import type { TagEntity } from './schema.ts';

export interface NewTag {
  readonly tag_name: string;
  readonly ref: string;
  readonly message?: string;
}

/** Makes a tag of what a branch, a tag or a commit stands for; with a message, an annotated one. */
export async function createTag(
  services: Services,
  actor: Actor,
  subject: ProjectSubject,
  { tag_name: name, ref, message }: NewTag,
): Promise<TagEntity> {
  if (ref.trim() === '') throw BadRequest.plain('Target is empty');
  if (!isTagName(name)) throw BadRequest.plain('Tag name invalid');
  if ((await taggedCommit(services, subject, name)) !== undefined) throw exists(name);
  const found = await resolveCommit(services, subject, ref);
  if (!found) throw BadRequest.plain(`Target ${ref} is invalid`);
  const text = message?.trim();
  const oid = text ? await annotated(services, actor, subject, name, found.oid, text) : found.oid;
  const changes = [{ ref: `refs/tags/${name}`, old: null, new: oid }];
  const result = await moveRefsPlainly(services, { actor, subject, changes, protocol: 'web' });
  if (result.status !== 'ok') throw problemOf(result, name);
  return presentTag(services, actor, subject, { name, oid });
}

function exists(name: string): HttpError {
  return BadRequest.plain(`Tag ${name} already exists`);
}

function problemOf(result: Exclude<MoveResult, { status: 'ok' }>, name: string): HttpError {
  if (result.status === 'stale') return exists(name);
  if (result.status === 'locked') return new Conflict('409 Conflict: Resource lock');
  return BadRequest.plain('Tag name invalid');
}

async function annotated(
  services: Services,
  actor: Actor,
  subject: ProjectSubject,
  name: string,
  object: string,
  message: string,
): Promise<string> {
  const writer = services.git.writer(repositoryOf(services, subject));
  const tagger = committerOf(services, actor.user as User);
  const oid = await createTagObject(writer, { name, object, tagger, message });
  await writer.flush();
  return oid;
}
