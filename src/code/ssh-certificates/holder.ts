import { unusable } from '../../access/credentials/account-state.ts';
import { userByLogin } from '../../access/credentials/passwords.ts';
import type { Services } from '../../access/services.ts';
import { findNamespace } from '../../access/subject-queries.ts';
import type { Namespace, User } from '../../access/tables.ts';
import { ownRole } from '../../namespaces/members/public.ts';
import { isGood, readCertificate } from './certificate.ts';
import { groupTrusting } from './store.ts';

/**
 * Who a certificate says somebody is, and the group that trusts it: whoever has the key of an authority can name anybody, so
 * only members are let in, and only to what is in the group. Undefined where it is worth nothing.
 */
export async function certificateHolder(
  { db, externalUrl }: Services,
  blob: Buffer,
  ip: string,
): Promise<{ user: User; group: Namespace } | undefined> {
  const certificate = readCertificate(blob);
  if (!certificate || !isGood(certificate, { now: Date.now(), ip })) return undefined;
  const group = await findNamespace(db.read, (await groupTrusting(db.read, certificate.authority)) ?? null);
  const user = group && (await userByLogin(db.read, certificate.keyId));
  if (!user || unusable(user, externalUrl) !== undefined) return undefined;
  return (await ownRole(db.read, group.id, user.id)) === undefined ? undefined : { user, group };
}
