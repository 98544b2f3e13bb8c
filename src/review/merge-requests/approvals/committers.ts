import { findUser } from '../../../access/credentials/identify.ts';
import type { Services } from '../../../access/services.ts';
import { committerOf } from '../../../code/repository/public.ts';
import { confirmedEmails } from '../../../people/users/public.ts';
import type { Reader } from '../../../platform/database/database.ts';
import type { Commit } from '../../../platform/git/objects/commit.ts';

/** Whether the user is the author or committer of one of these commits, by e-mail address. */
export async function isAuthorOrCommitter(
  services: Services,
  db: Reader,
  userId: number,
  commits: readonly Commit[],
): Promise<boolean> {
  const user = await findUser(db, userId);
  if (!user) return false;
  const own = await confirmedEmails(db, user.id);
  own.add(committerOf(services, user).email.toLowerCase());
  return commits.some(({ author, committer }) => [author, committer].some(({ email }) => own.has(email.toLowerCase())));
}
