import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { isTagName } from '../../platform/git/refs/refname.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { type NamedRef, peelTag, readNamedRef, repositoryOf } from '../repository/public.ts';
import { presentTags } from './present.ts';
import type { TagEntity } from './schema.ts';

async function findTag(services: Services, subject: ProjectSubject, name: string): Promise<NamedRef | undefined> {
  if (!isTagName(name)) return undefined;
  const oid = await readNamedRef(services, subject, `refs/tags/${name}`);
  return oid === null ? undefined : { name, oid };
}

/** The tag of this name; 404 when there is none. */
export async function requireTag(services: Services, subject: ProjectSubject, name: string): Promise<NamedRef> {
  const tag = await findTag(services, subject, name);
  if (!tag) throw new NotFound('Tag');
  return tag;
}

/** The entity of one tag. */
export async function presentTag(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  ref: NamedRef,
): Promise<TagEntity> {
  return (await presentTags(services, caller, subject, [ref]))[0] as TagEntity;
}

/** The commit that a tag stands for, null when it stands for something else; undefined when there is no such tag. */
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
