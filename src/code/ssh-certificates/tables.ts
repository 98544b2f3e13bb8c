import type { Generated, Selectable } from 'kysely';
import type { Namespace, User } from '../../access/tables.ts';

/** Public keys of SSH certificate authorities trusted by a top-level group. */
export interface GroupSshCertificatesTable {
  id: Generated<number>;
  namespace_id: number;
  title: string;
  key: string;
  fingerprint_sha256: string;
  created_at: number;
}

export type SshCertificateRow = Selectable<GroupSshCertificatesTable>;

interface Change {
  readonly certificate: SshCertificateRow;
  readonly group: Namespace;
  readonly by: User;
}

declare module '../../platform/database/tables.ts' {
  interface Tables {
    group_ssh_certificates: GroupSshCertificatesTable;
  }
}

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    'ssh-certificate.added': Change;
    'ssh-certificate.removed': Change;
  }
}
