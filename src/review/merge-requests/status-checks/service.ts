import type { Actor, SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { branchRulesById } from '../../../code/protected-refs/public.ts';
import { uniqueViolation } from '../../../platform/database/errors.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { checkStoredUrl } from '../../../platform/egress/stored-url.ts';
import { EgressRefused } from '../../../platform/egress/target.ts';
import { NotFound, Unprocessable } from '../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { instant } from '../../../platform/http/schema.ts';
import { checkBranches } from '../approvals/rules.ts';
import { checkSha } from '../check-sha.ts';
import { enqueueAutoMerge } from '../merge/auto-merge-queue.ts';
import { presentRequests } from '../present.ts';
import { type RequestState, requireRequest } from '../service.ts';
import { requestById } from '../store.ts';
import { checkTexts } from './rules.ts';
import type {
  CheckChangeParams,
  NewCheckParams,
  NewResponseParams,
  RequestStatusCheckEntity,
  StatusCheckEntity,
  StatusCheckResponseEntity,
} from './schema.ts';
import { type CheckWithStatus, checksWithStatus } from './status.ts';
import * as store from './store.ts';
import type { Check, CheckRow } from './tables.ts';

declare module '../../../platform/domain-events.ts' {
  interface DomainEvents {
    /** A status check is retried although the merge request has not changed. */
    'status-check.retried': { readonly check: CheckRow; readonly actorId: number; readonly state: RequestState };
  }
}

const purpose = 'external_status_checks.secret';
/** Maximum number of checks per project, because each receives every change of every merge request. */
const maxChecks = 100;

/** The secret that requests to a check are signed with, if any. */
export function secretOf({ encryption }: Services, { sealed_secret: sealed }: CheckRow): string | null {
  return sealed === null ? null : encryption.decrypt(sealed, purpose);
}

const sealed = ({ encryption }: Services, secret: string | undefined) =>
  secret ? encryption.encrypt(secret, purpose) : null;

async function present({ db }: Services, checks: readonly Check[]): Promise<StatusCheckEntity[]> {
  const ids = [...new Set(checks.flatMap(({ branches }) => branches.map(({ id }) => id)))];
  const rules = await branchRulesById(db.read, ids);
  return checks.map(({ row, branches }) => ({
    id: row.id,
    name: row.name,
    project_id: row.project_id,
    external_url: row.external_url,
    hmac: row.sealed_secret !== null,
    protected_branches: rules
      .filter(({ id }) => branches.some((branch) => branch.id === id))
      .map((rule) => ({
        id: rule.id,
        project_id: rule.project_id,
        name: rule.name,
        created_at: instant(rule.created_at),
        updated_at: instant(rule.updated_at),
        code_owner_approval_required: rule.code_owner_approval_required === 1,
      })),
  }));
}

const sliced = <T>(items: readonly T[], { offset, perPage }: PageRequest) =>
  new Page(items.slice(offset, offset + perPage), items.length);

export async function listChecks(services: Services, { project }: ProjectSubject, page: PageRequest) {
  const { items, total } = sliced(await store.checksOf(services.db.read, [project.id]), page);
  return new Page(await present(services, items), total);
}

async function requireCheck({ db }: Services, { project }: ProjectSubject, id: number): Promise<Check> {
  const check = (await store.checksOf(db.read, [project.id])).find(({ row }) => row.id === id);
  if (!check) throw NotFound.record();
  return check;
}

async function presentOne(services: Services, subject: ProjectSubject, id: number): Promise<StatusCheckEntity> {
  const [entity] = await present(services, [await requireCheck(services, subject, id)]);
  if (!entity) throw NotFound.record();
  return entity;
}

async function checkAddress({ egress }: Services, url: string): Promise<void> {
  await checkStoredUrl(egress, url).catch((error: unknown) => {
    throw error instanceof EgressRefused ? new Unprocessable([`External url is blocked: ${error.message}`]) : error;
  });
}

function takenOr(error: unknown): unknown {
  const columns = uniqueViolation(error)?.columns ?? [];
  if (columns.includes('name')) return new Unprocessable(['Name has already been taken']);
  if (columns.includes('external_url')) return new Unprocessable(['External url has already been taken']);
  return error;
}

export async function createCheck(
  services: Services,
  subject: ProjectSubject,
  wanted: NewCheckParams,
): Promise<StatusCheckEntity> {
  const { name, external_url, shared_secret, protected_branch_ids: ids = [] } = wanted;
  const { id: project_id } = subject.project;
  checkTexts(wanted);
  await checkAddress(services, external_url);
  await checkBranches(services, project_id, ids);
  const now = Date.now();
  const row = { project_id, name, external_url, sealed_secret: sealed(services, shared_secret) };
  const { id } = await services.db
    .write(async (trx) => {
      await lockRow(trx, 'projects', project_id);
      if ((await store.checksOf(trx, [project_id])).length >= maxChecks) {
        throw new Unprocessable([`Maximum number of external status checks (${maxChecks}) exceeded`]);
      }
      const check = await store.insertCheck(trx, { ...row, created_at: now, updated_at: now });
      await store.setBranches(trx, check.id, ids);
      return check;
    })
    .catch((error: unknown) => {
      throw takenOr(error);
    });
  return presentOne(services, subject, id);
}

export async function updateCheck(
  services: Services,
  subject: ProjectSubject,
  wanted: CheckChangeParams,
): Promise<StatusCheckEntity> {
  const { name, external_url, shared_secret, protected_branch_ids: ids } = wanted;
  const { row } = await requireCheck(services, subject, wanted.check_id);
  checkTexts(wanted);
  if (external_url !== undefined) await checkAddress(services, external_url);
  if (ids) await checkBranches(services, row.project_id, ids);
  await services.db
    .write(async (trx) => {
      await store.updateCheck(trx, row.id, {
        ...(name !== undefined && { name }),
        ...(external_url !== undefined && { external_url }),
        ...(shared_secret !== undefined && { sealed_secret: sealed(services, shared_secret) }),
        updated_at: Date.now(),
      });
      if (ids) await store.setBranches(trx, row.id, ids);
    })
    .catch((error: unknown) => {
      throw takenOr(error);
    });
  return presentOne(services, subject, row.id);
}

export async function deleteCheck(services: Services, subject: ProjectSubject, id: number): Promise<void> {
  const { row } = await requireCheck(services, subject, id);
  await services.db.write((trx) => store.deleteCheck(trx, row.id));
}

async function standingsOf({ db }: Services, { request }: RequestState): Promise<readonly CheckWithStatus[]> {
  return (await checksWithStatus(db.read, [request])).get(request.id) ?? [];
}

async function requireStanding(services: Services, state: RequestState, checkId: number): Promise<CheckWithStatus> {
  const found = (await standingsOf(services, state)).find(({ check }) => check.id === checkId);
  if (!found) throw NotFound.record();
  return found;
}

export async function listStandings(
  services: Services,
  subject: ProjectSubject,
  iid: number,
  page: PageRequest,
): Promise<Page<RequestStatusCheckEntity>> {
  const state = await requireRequest(services, subject, iid);
  return sliced(await standingsOf(services, state), page).map(({ check, status }) => {
    const { id, name, external_url } = check;
    return { id, name, external_url, status };
  });
}

/** Stores the response of a check for the current head of a merge request. */
export async function respond(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  { merge_request_iid: iid, external_status_check_id: checkId, sha, status }: NewResponseParams,
): Promise<StatusCheckResponseEntity> {
  const state = await requireRequest(services, subject, iid);
  const { check } = await requireStanding(services, state, checkId);
  checkSha(sha, state.request);
  const { id: merge_request_id } = state.request;
  const response = await services.db.write(async (trx) => {
    const columns = { merge_request_id, check_id: check.id, sha, status, answered_at: Date.now() };
    const stored = await store.storeResponse(trx, columns);
    const request = await requestById(trx, merge_request_id);
    if (request && status === 'passed') await enqueueAutoMerge(services, trx, request);
    return stored;
  });
  const [request] = await presentRequests(services, caller, [state.request], { within: null });
  if (!request) throw NotFound.record();
  const external_status_check = await presentOne(services, subject, check.id);
  return { id: response.id, merge_request: request, external_status_check };
}

/** Retries a failed check. */
export async function retry(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
  checkId: number,
): Promise<void> {
  const state = await requireRequest(services, subject, iid);
  const { check, status, response } = await requireStanding(services, state, checkId);
  if (status !== 'failed' || !response) throw new Unprocessable('External status check must be failed');
  await services.db.write(async (trx) => {
    await store.deleteResponse(trx, response.id);
    await services.announce(trx, 'status-check.retried', { check, actorId: caller.user.id, state });
  });
}
