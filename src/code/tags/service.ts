import type { FastifyRequest } from 'fastify';
import type { Actor, SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { createTag as createTagObject } from '../../platform/git/objects/commit-write.ts';
import { datedSeconds } from '../../platform/git/objects/identity.ts';
import { parseTag } from '../../platform/git/objects/tag.ts';
import { isTagName } from '../../platform/git/refs/refname.ts';
import { BadRequest, Conflict, Forbidden, type HttpError, NotFound } from '../../platform/http/errors.ts';
import { checkUnmodified } from '../../platform/http/responses/precondition.ts';
import { tagAccess } from '../protected-refs/public.ts';
import { type MoveResult, moveRefsOrBadRequest } from '../pushes/public.ts';
import {
  committerOf,
  type NamedRef,
  peelTag,
  readNamedRef,
  repositoryOf,
  resolveCommit,
} from '../repository/public.ts';
import { readSignedObject, type TagSignatureEntity, verifySignature } from '../signatures/public.ts';
import { presentTags } from './present.ts';
import type { TagEntity } from './schema.ts';

async function findTag(services: Services, subject: ProjectSubject, name: string): Promise<NamedRef | undefined> {
  if (!isTagName(name)) return undefined;
  const oid = await readNamedRef(services, subject, `refs/tags/${name}`);
  return oid === null ? undefined : { name, oid };
}

/** Finds a tag. Throws 404 if it does not exist. */
export async function requireTag(services: Services, subject: ProjectSubject, name: string): Promise<NamedRef> {
  const tag = await findTag(services, subject, name);
  if (!tag) throw new NotFound('Tag');
  return tag;
}

/** Presents a single tag. */
export async function presentTag(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  ref: NamedRef,
): Promise<TagEntity> {
  const [tag] = await presentTags(services, caller, subject, [ref]);
  if (!tag) throw new NotFound('Tag');
  return tag;
}

/** Returns the commit of a tag: null if it points to another kind of object, undefined if the tag does not exist. */
export async function taggedCommit(
  services: Services,
  subject: ProjectSubject,
  name: string,
): Promise<string | null | undefined> {
  const tag = await findTag(services, subject, name);
  if (!tag) return undefined;
  const { commit } = await peelTag(services.git.objects(repositoryOf(services, subject)), tag.oid);
  return commit?.oid ?? null;
}

export interface NewTag {
  readonly tag_name: string;
  readonly ref: string;
  readonly message?: string;
}

/** Creates a tag at the commit a ref resolves to; with a message, an annotated tag. */
export async function createTag(
  services: Services,
  actor: SignedInActor,
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
  const result = await moveRefsOrBadRequest(services, { actor, subject, changes, protocol: 'web' });
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
  actor: SignedInActor,
  subject: ProjectSubject,
  name: string,
  object: string,
  message: string,
): Promise<string> {
  const writer = services.git.writer(repositoryOf(services, subject));
  const tagger = committerOf(services, actor.user);
  const oid = await createTagObject(writer, { name, object, tagger, message });
  await writer.flush();
  return oid;
}

/** Deletes a tag. Its release is deleted in the transaction that records the push. */
export async function deleteTag(
  services: Services,
  actor: Actor,
  subject: ProjectSubject,
  name: string,
  request: FastifyRequest,
): Promise<void> {
  const { oid } = await requireTag(services, subject, name);
  const access = await tagAccess(services.db.read, actor, subject);
  if (!access.canDelete(name)) throw new Forbidden();
  const { commit } = await peelTag(services.git.objects(repositoryOf(services, subject)), oid);
  if (commit) checkUnmodified(request, datedSeconds(commit.author.seconds) * 1000);
  const changes = [{ ref: `refs/tags/${name}`, old: oid, new: null }];
  const result = await moveRefsOrBadRequest(services, { actor, subject, changes, protocol: 'web' });
  if (result.status !== 'ok') throw new Conflict('409 Conflict: Resource lock');
}

/** Returns the signature of a tag and its current verification status. Throws 404 for unsigned tags. */
export async function signatureOfTag(
  services: Services,
  subject: ProjectSubject,
  name: string,
): Promise<TagSignatureEntity> {
  const { oid } = await requireTag(services, subject, name);
  const signed = await readSignedObject(services.git.objects(repositoryOf(services, subject)), 'tag', oid);
  if (!signed) throw new NotFound('Signature');
  // Very old versions of git created tags without a tagger.
  const { tagger } = parseTag(oid, signed.raw);
  return verifySignature(services, oid, signed, tagger ?? { email: '', seconds: 0 });
}
