import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import { commitEmail } from '../../people/users/public.ts';
import type { Identity } from '../../platform/git/objects/identity.ts';

/** A user as the commits and tags that they make here name them. */
export function committerOf({ externalUrl }: Services, user: User, at = Date.now()): Identity {
  return { name: user.name, email: commitEmail(user, externalUrl), seconds: Math.floor(at / 1000), zone: 0 };
}
