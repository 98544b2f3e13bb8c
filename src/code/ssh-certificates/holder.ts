import { accountRefusal } from '../../access/credentials/account-state.ts';
import { userByLogin } from '../../access/credentials/passwords.ts';
import type { Services } from '../../access/services.ts';
import { findNamespace } from '../../access/subject-queries.ts';
import type { Namespace, User } from '../../access/tables.ts';
import { directRole } from '../../namespaces/members/public.ts';
import { isValidCertificate, readCertificate } from './certificate.ts';
import { groupTrusting } from './store.ts';

/**
 * Returns the user named by a certificate and the group that trusts its authority. An authority can name any user, so
 * only members are accepted, and only for access within the group. Undefined if the certificate is invalid.
 */
export async function certificateHolder(
  { db, externalUrl }: Services,
  blob: Buffer,
  ip: string,
): Promise<{ user: User; group: Namespace } | undefined> {
  const certificate = readCertificate(blob);
  if (!certificate || !isValidCertificate(certificate, { now: Date.now(), ip })) return undefined;
  const group = await findNamespace(db.read, (await groupTrusting(db.read, certificate.authority)) ?? null);
  const user = group && (await userByLogin(db.read, certificate.keyId));
  if (!user || accountRefusal(user, externalUrl) !== undefined) return undefined;
  return (await directRole(db.read, group.id, user.id)) === undefined ? undefined : { user, group };
}
