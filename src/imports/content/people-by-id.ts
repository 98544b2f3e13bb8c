import { findUser } from '../../access/credentials/identify.ts';
import { UserMapper, type UserMappingContext } from './people.ts';
import { userOfEmail } from './store.ts';

/** A user as described by the source server. */
export interface NamedPerson {
  readonly username: string | undefined;
  readonly name: string | undefined;
  readonly email: string | undefined;
}

/**
 * Maps users of another server by ID. Its owner controls the data, so nothing is attributed to existing users: every
 * user gets a placeholder account. Only for imports by administrators, users whose public email is a confirmed email
 * here are matched.
 */
export async function numberedPeople(
  place: UserMappingContext & { readonly userId: number },
  host: string,
  known: (number: number) => NamedPerson | undefined,
): Promise<(number: number) => Promise<number>> {
  const { read } = place.services.db;
  const people = new UserMapper(place, host);
  const importer = await findUser(read, place.userId);
  const found = new Map<number, number>();
  return async (number) => {
    const before = found.get(number);
    if (before !== undefined) return before;
    const named = known(number);
    const email = importer?.admin === 1 ? named?.email : undefined;
    const here = email ? await userOfEmail(read, email) : undefined;
    const user = { id: number, username: named?.username ?? `user${number}`, name: named?.name ?? null };
    const id = here ?? (await people.idOf(user));
    found.set(number, id);
    return id;
  };
}
