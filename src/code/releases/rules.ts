import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { Forbidden, Invalid } from '../../platform/http/errors.ts';
import { lengthProblem } from '../../platform/http/parameters/too-long.ts';
import { tagAccess } from '../protected-refs/public.ts';

/** The protection of a tag also covers its release: users who may not create the tag may not change the release. */
export async function checkTagRight(
  services: Services,
  actor: Actor,
  subject: ProjectSubject,
  tag: string,
  text?: string,
): Promise<void> {
  const access = await tagAccess(services.db.read, actor, subject);
  if (access.canCreate(tag)) return;
  throw text !== undefined && access.isProtected(tag) ? Forbidden.plain(text) : new Forbidden();
}

const maxLength = { name: 255, description: 1_000_000 } as const;

/** Validates the length of the name and the description. */
export function checkTexts(texts: { readonly name?: string; readonly description?: string }): void {
  for (const field of ['name', 'description'] as const) {
    const long = lengthProblem(texts[field] ?? '', maxLength[field]);
    if (long !== undefined) throw new Invalid({ [field]: [long] });
  }
}
