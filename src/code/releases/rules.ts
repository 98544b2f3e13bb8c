import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { Forbidden, Invalid } from '../../platform/http/errors.ts';
import { tooLong } from '../../platform/http/parameters/too-long.ts';
import { tagAccess } from '../protected-refs/public.ts';

/** A protected tag guards its release as well: whoever may not make the tag may not tell of it. */
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

const longest = { name: 255, description: 1_000_000 } as const;

/** The name and the notes of a release have an end. */
export function checkTexts(texts: { readonly name?: string; readonly description?: string }): void {
  for (const field of ['name', 'description'] as const) {
    const long = tooLong(texts[field] ?? '', longest[field]);
    if (long !== undefined) throw new Invalid({ [field]: [long] });
  }
}
