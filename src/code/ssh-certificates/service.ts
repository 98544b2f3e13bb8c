import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { GroupSubject } from '../../access/subjects.ts';
import type { Namespace } from '../../access/tables.ts';
import { readSshKey } from '../../people/keys/public.ts';
import { uniqueViolation } from '../../platform/database/errors.ts';
import { Forbidden, Invalid, NotFound } from '../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import { lengthProblem } from '../../platform/http/parameters/too-long.ts';
import { instant } from '../../platform/http/schema.ts';
import type { SshCertificateEntity } from './schema.ts';
import * as store from './store.ts';
import type { SshCertificateRow } from './tables.ts';

const maxTitleLength = 256;

/** Subgroups use the certificates of their top-level group. */
function requireTopLevel({ group }: GroupSubject): Namespace {
  if (group.parent_id !== null) throw new Forbidden('Only top-level groups have SSH certificates');
  return group;
}

export async function listCertificates(
  { db }: Services,
  subject: GroupSubject,
  slice: PageRequest,
): Promise<Page<SshCertificateEntity>> {
  const { rows, total } = await store.listCertificates(db.read, requireTopLevel(subject).id, slice);
  return new Page(rows, total).map(present);
}

export async function addCertificate(
  { db, announce, settings }: Services,
  { user }: SignedInActor,
  subject: GroupSubject,
  sent: { readonly title: string; readonly key: string },
): Promise<SshCertificateEntity> {
  const group = requireTopLevel(subject);
  const title = sent.title.trim();
  const wrong = title === '' ? "can't be blank" : lengthProblem(title, maxTitleLength);
  const read = readSshKey(sent.key, await settings.read());
  const problems = {
    ...(wrong === undefined ? {} : { title: [wrong] }),
    ...('problems' in read ? { key: read.problems } : {}),
  };
  if ('problems' in read || wrong !== undefined) throw new Invalid(problems);
  const { text: key, fingerprintSha256: fingerprint_sha256 } = read.key;
  const row = { namespace_id: group.id, title, key, fingerprint_sha256, created_at: Date.now() };
  try {
    return await db.write(async (trx) => {
      const certificate = await store.insertCertificate(trx, row);
      await announce(trx, 'ssh-certificate.added', { certificate, group, by: user });
      return present(certificate);
    });
  } catch (error) {
    throw uniqueViolation(error) ? new Invalid({ fingerprint: ['has already been taken'] }) : error;
  }
}

export async function removeCertificate(
  { db, announce }: Services,
  { user }: SignedInActor,
  subject: GroupSubject,
  id: number,
): Promise<void> {
  const group = requireTopLevel(subject);
  await db.write(async (trx) => {
    const certificate = await store.deleteCertificate(trx, group.id, id);
    if (!certificate) throw new NotFound('SSH Certificate');
    await announce(trx, 'ssh-certificate.removed', { certificate, group, by: user });
  });
}

const present = ({ id, title, key, created_at }: SshCertificateRow): SshCertificateEntity => ({
  id,
  title,
  key,
  created_at: instant(created_at),
});
