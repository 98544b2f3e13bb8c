import { findUser } from '../../access/credentials/identify.ts';
import { type MeetingPlace, People } from './people.ts';
import { userOfEmail } from './store.ts';

/** What another server says of somebody. */
export interface NamedPerson {
  readonly username: string | undefined;
  readonly name: string | undefined;
  readonly email: string | undefined;
}

/**
 * The people of another server by their numbers there. Its owner could have written anything, so nobody's name is put to
 * it: everybody gets an account that nobody signs in with. Only for administrators, who could do anything anyway, those
 * whose public address is the confirmed one of somebody here are that somebody.
 */
export async function numberedPeople(
  place: MeetingPlace & { readonly userId: number },
  host: string,
  known: (number: number) => NamedPerson | undefined,
): Promise<(number: number) => Promise<number>> {
  const { read } = place.services.db;
  const people = new People(place, host);
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
