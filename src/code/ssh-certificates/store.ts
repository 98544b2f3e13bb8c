import type { Insertable } from 'kysely';
import type { Reader, Writer } from '../../platform/database/database.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { fetchPage } from '../../platform/list-kit/fetch-page.ts';
import type { GroupSshCertificatesTable, SshCertificateRow } from './tables.ts';

export function listCertificates(
  db: Reader,
  groupId: number,
  slice: Slice,
): Promise<{ rows: SshCertificateRow[]; total: number }> {
  const query = db.selectFrom('group_ssh_certificates').selectAll().where('namespace_id', '=', groupId).orderBy('id');
  return fetchPage(db, query, slice);
}

export function insertCertificate(trx: Writer, row: Insertable<GroupSshCertificatesTable>): Promise<SshCertificateRow> {
  return trx.insertInto('group_ssh_certificates').values(row).returningAll().executeTakeFirstOrThrow();
}

export function deleteCertificate(trx: Writer, groupId: number, id: number): Promise<SshCertificateRow | undefined> {
  return trx
    .deleteFrom('group_ssh_certificates')
    .where('namespace_id', '=', groupId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** Returns the group that trusts an authority. */
export async function groupTrusting(db: Reader, fingerprint: string): Promise<number | undefined> {
  const found = await db
    .selectFrom('group_ssh_certificates')
    .select('namespace_id')
    .where('fingerprint_sha256', '=', fingerprint)
    .executeTakeFirst();
  return found?.namespace_id;
}
