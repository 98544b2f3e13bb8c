import { text } from 'node:stream/consumers';
import type { SignedInActor } from '../../access/actor.ts';
import { findUserByName } from '../../access/credentials/identify.ts';
import type { Services } from '../../access/services.ts';
import type { GroupSubject } from '../../access/subjects.ts';
import type { Namespace, User } from '../../access/tables.ts';
import { userByEmail } from '../../people/users/public.ts';
import type { Slice } from '../../platform/database/paging.ts';
import type { UploadedFile } from '../../platform/http/bodies/upload.ts';
import { BadRequest, NotFound, ParameterError, TooLarge } from '../../platform/http/errors.ts';
import { Page } from '../../platform/http/pages/pagination.ts';
import type { ParamsOf } from '../../platform/http/params.ts';
import {
  type ImportSourceUserRow,
  proposeReassignment,
  type SourceUserKey,
  updateSourceUser,
} from '../content/public.ts';
import { csvLine, readCsv } from './csv.ts';
import type { FileTakenEntity, reassignment, SourceUserEntity } from './schema.ts';
import * as store from './store.ts';

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    /** A user is asked to accept the contributions of a source user. */
    'import.reassignment-asked': {
      readonly id: number;
      readonly user: User;
      readonly sourceUsername: string;
      readonly sourceHostname: string;
      /** Path of the group. */
      readonly group: string;
    };
  }
}

const header = [
  'Source host',
  'Import type',
  'Source user identifier',
  'Source user name',
  'Source username',
  'GitLab username',
  'GitLab public email',
];
const maxFileBytes = 2 * 1024 * 1024;
const maxRows = 5000;

/** Placeholders belong to the root group, whichever subgroup was imported into. */
function requireTop({ group }: GroupSubject): Namespace {
  if (group.parent_id !== null) throw new NotFound('Group');
  return group;
}

/** CSV of all unassigned source users, up to the number of rows an upload may have. */
export async function unassignedFile({ db }: Services, subject: GroupSubject): Promise<Buffer> {
  const rows = await store.unassigned(db.read, requireTop(subject).id, maxRows);
  const lines = rows.map(({ source_hostname, import_type, source_user_id, source_name, source_username }) =>
    csvLine([source_hostname, import_type, source_user_id, source_name, source_username, '', '']),
  );
  return Buffer.from(csvLine(header) + lines.join(''));
}

/** Processes an uploaded file: each user named in it is asked. Rows without a user are skipped. */
export async function processFile(
  services: Services,
  subject: GroupSubject,
  file: UploadedFile | '',
): Promise<FileTakenEntity> {
  const namespace = requireTop(subject);
  if (file === '') throw new ParameterError('file is invalid');
  if (file.size > maxFileBytes) throw new TooLarge();
  const failures = [];
  for (const [at, fields] of (await rowsOf(file)).entries()) {
    const error = await processRow(services, namespace, fields);
    if (error !== undefined) failures.push({ row: at + 2, error });
  }
  return { message: 'The file is being processed and you will receive an email when completed.', failures };
}

async function rowsOf(file: UploadedFile): Promise<Record<string, string>[]> {
  try {
    const [names = [], ...rows] = readCsv((await text(file.open())).replace(/^\uFEFF/, ''));
    const missing = header.filter((name) => !names.includes(name));
    if (missing.length > 0) throw BadRequest.plain(`The provided CSV misses the columns ${missing.join(', ')}`);
    if (rows.length > maxRows) throw BadRequest.plain(`The provided CSV has more than ${maxRows} rows`);
    return rows.map((row) => Object.fromEntries(names.map((name, at) => [name, (row[at] ?? '').replace(/^'/, '')])));
  } catch (error) {
    if (error instanceof SyntaxError) throw BadRequest.plain('The provided CSV was not correctly formatted.');
    throw error;
  }
}

async function processRow(
  services: Services,
  group: Namespace,
  fields: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const [name = '', email = ''] = [fields['GitLab username']?.trim(), fields['GitLab public email']?.trim()];
  if (name === '' && email === '') return undefined;
  const { read } = services.db;
  const user = name === '' ? await userByEmail(read, email) : await findUserByName(read, name.replace(/^@/, ''));
  return requestReassignment(services, group, user, {
    namespace_id: group.id,
    import_type: fields['Import type'] ?? '',
    source_hostname: fields['Source host'] ?? '',
    source_user_id: fields['Source user identifier'] ?? '',
  });
}

/** Asks a user to accept a reassignment. Returns the reason if that is not possible. */
async function requestReassignment(
  services: Services,
  { full_path }: Namespace,
  user: User | undefined,
  key: SourceUserKey,
): Promise<string | undefined> {
  if (user?.kind !== 'human' || user.state !== 'active') return 'User not found';
  const { allow_contribution_mapping_to_admins: allowsAdmins } = await services.settings.read();
  if (user.admin === 1 && !allowsAdmins) return 'Administrators cannot be assigned on this instance';
  return services.db.write(async (trx) => {
    const row = await proposeReassignment(trx, key, user.id);
    if (!row) return 'Placeholder not found or already reassigned';
    const { source_username: sourceUsername, source_hostname: sourceHostname } = row;
    const event = { id: row.id, user, sourceUsername, sourceHostname, group: full_path };
    await services.announce(trx, 'import.reassignment-asked', event);
    return undefined;
  });
}

/** Lists all source users of a group. */
export async function listOfGroup(
  { db }: Services,
  subject: GroupSubject,
  slice: Slice,
): Promise<Page<SourceUserEntity>> {
  const { rows, total } = await store.ofGroup(db.read, requireTop(subject).id, slice);
  return new Page(rows, total).map(present);
}

/** Reassigns a single source user, like a row of the file. */
export async function reassign(
  services: Services,
  subject: GroupSubject,
  { source_user_id, username }: ParamsOf<typeof reassignment>,
): Promise<SourceUserEntity> {
  const group = requireTop(subject);
  const { read } = services.db;
  const row = await store.sourceUserOf(read, group.id, source_user_id);
  if (!row) throw NotFound.record();
  const problem = await requestReassignment(
    services,
    group,
    await findUserByName(read, username.trim().replace(/^@/, '')),
    row,
  );
  if (problem !== undefined) throw BadRequest.plain(problem);
  return present((await store.sourceUserOf(read, group.id, source_user_id)) ?? row);
}

/** Lists the reassignments the caller is asked to accept. */
export async function listPendingReassignments(
  { db }: Services,
  caller: SignedInActor,
  slice: Slice,
): Promise<Page<SourceUserEntity>> {
  const { rows, total } = await store.awaiting(db.read, caller.user.id, slice);
  return new Page(rows, total).map(present);
}

/** Accepts a reassignment; contributions are transferred in the background. */
export function accept(services: Services, caller: SignedInActor, id: number): Promise<SourceUserEntity> {
  return answer(services, caller, id, 'reassignment_in_progress');
}

/** Rejects a reassignment; group owners can ask another user. */
export function reject(services: Services, caller: SignedInActor, id: number): Promise<SourceUserEntity> {
  return answer(services, caller, id, 'rejected');
}

async function answer(
  { db, queue }: Services,
  caller: SignedInActor,
  id: number,
  status: 'reassignment_in_progress' | 'rejected',
): Promise<SourceUserEntity> {
  return db.write(async (trx) => {
    const row = await store.lockPendingRequest(trx, id, caller.user.id);
    if (!row) throw NotFound.record();
    const columns = status === 'rejected' ? { status, reassign_to_id: null } : { status };
    await updateSourceUser(trx, id, columns);
    if (status !== 'rejected') await queue.enqueue(trx, 'imports.reassign', { id }, { dedupeKey: `${id}` });
    return present({ ...row, ...columns });
  });
}

function present(row: ImportSourceUserRow): SourceUserEntity {
  return {
    id: row.id,
    namespace_id: row.namespace_id,
    import_type: row.import_type,
    source_hostname: row.source_hostname,
    source_user_identifier: row.source_user_id,
    source_username: row.source_username,
    source_name: row.source_name,
    status: row.status,
    placeholder_user_id: row.user_id,
  };
}
