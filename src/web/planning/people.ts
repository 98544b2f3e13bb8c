import { words } from '../forms/fields.ts';
import type { Entity } from '../frame/api.ts';
import { Refusal } from '../frame/api.ts';
import type { Visit } from '../frame/visit.ts';

const most = 50;

/** The numbers of users whose names somebody typed; a name that nobody has is refused by name. */
export async function userIds({ api }: Visit, typed: string): Promise<number[]> {
  const names = [...new Set(words(typed).map((name) => name.replace(/^@/, '')))];
  if (names.length > most) throw new Refusal(422, `More than ${most} people`);
  const found = await Promise.all(names.map((username) => api.get('/users', { username })));
  return found.map((users: readonly Entity[], at) => {
    const [user] = users;
    if (!user) throw new Refusal(422, `There is no user ${names[at]}`);
    return user.id;
  });
}

/** The names of users, as they stand in a form. */
export const userNames = (users: readonly Entity[] | undefined) =>
  (users ?? []).map(({ username }) => username).join(', ');
