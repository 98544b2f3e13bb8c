import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { uniqueViolation } from '../../../platform/database/errors.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { UploadedFile } from '../../../platform/http/bodies/upload.ts';
import { Invalid, NotFound, ParameterError, Unprocessable } from '../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { pagesAddress } from '../addresses.ts';
import { requirePagesAddress } from '../settings/service.ts';
import { changeSite, siteOf } from '../settings/store.ts';
import type { DomainRow } from '../tables.ts';
import { presentBasic, presentDomain } from './present.ts';
import { domainProblem, readPair } from './rules.ts';
import type { BasicPagesDomainEntity, ChangeParams, CreationParams, PagesDomainEntity } from './schema.ts';
import * as store from './store.ts';
import { unverifiedState, verify } from './verification.ts';

const keyPurpose = 'pages_domains.encrypted_key';
const maxPemLength = 64 * 1024;

export async function listAll(services: Services, page: PageRequest): Promise<Page<BasicPagesDomainEntity>> {
  const place = pagesAddress(services);
  if (!place) throw new NotFound();
  const { rows, total } = await store.listDomains(services.db.read, page);
  return new Page(
    rows.map((row) => presentBasic(place, row)),
    total,
  );
}

export async function listOfProject(
  services: Services,
  subject: ProjectSubject,
  page: PageRequest,
): Promise<Page<PagesDomainEntity>> {
  const place = requirePagesAddress(services, subject);
  const { rows, total } = await store.listOfProject(services.db.read, subject.project.id, page);
  return new Page(
    rows.map((row) => presentDomain(place, row)),
    total,
  );
}

async function requireDomain({ db }: Services, { project }: ProjectSubject, domain: string): Promise<DomainRow> {
  const row = await store.domainNamed(db.read, domain.toLowerCase());
  if (row?.project_id !== project.id) throw new NotFound();
  return row;
}

export async function getDomain(services: Services, subject: ProjectSubject, domain: string) {
  const place = requirePagesAddress(services, subject);
  return presentDomain(place, await requireDomain(services, subject, domain));
}

/** Returns a parameter sent as text or as a file; undefined if it was not sent. */
async function textIn(name: string, ...given: readonly unknown[]): Promise<string | undefined> {
  const one = given.find((value) => value !== undefined);
  if (one === undefined || one === null) return one === null ? '' : undefined;
  if (typeof one !== 'string' && !(one instanceof UploadedFile)) throw new ParameterError(`${name} is invalid`);
  const size = typeof one === 'string' ? one.length : one.size;
  if (size > maxPemLength) throw new Invalid({ [name]: [`is too long (maximum is ${maxPemLength} characters)`] });
  return typeof one === 'string' ? one : (await buffer(one.open())).toString();
}

type CertificateParams = Pick<ChangeParams, 'certificate' | 'key' | 'user_provided_certificate' | 'user_provided_key'>;

/** Returns the changes to the certificate of a domain. */
async function certificateIn({ encryption }: Services, given: CertificateParams) {
  const certificate = await textIn('certificate', given.user_provided_certificate, given.certificate);
  const key = await textIn('key', given.user_provided_key, given.key);
  if (certificate === undefined && key === undefined) return {};
  if (!certificate && !key) return { certificate: null, encrypted_key: null, certificate_valid_until: null };
  const pair = readPair(certificate ?? '', key ?? '');
  if ('problems' in pair) throw new Invalid(pair.problems);
  return {
    certificate: pair.certificate,
    encrypted_key: encryption.encrypt(pair.key, keyPurpose),
    certificate_valid_until: pair.validUntil,
  };
}

export async function createDomain(
  services: Services,
  { user }: SignedInActor,
  subject: ProjectSubject,
  params: CreationParams,
): Promise<PagesDomainEntity> {
  const place = requirePagesAddress(services, subject);
  const { project } = subject;
  const domain = params.domain.trim().toLowerCase().replace(/\.$/, '');
  const problem = domainProblem(domain, [place.domain, new URL(services.externalUrl).hostname]);
  if (problem !== undefined) throw new Invalid({ domain: [problem] });
  const now = Date.now();
  const row = {
    project_id: project.id,
    domain,
    verification_code: randomBytes(16).toString('hex'),
    ...unverifiedState(now),
    auto_ssl_enabled: params.auto_ssl_enabled ? 1 : 0,
    certificate: null,
    encrypted_key: null,
    certificate_valid_until: null,
    ...(await certificateIn(services, params)),
    created_at: now,
  };
  return services.db
    .write(async (trx) => {
      const made = await store.insertDomain(trx, row);
      await services.announce(trx, 'pages.changed', { project, by: user, what: 'domain added', details: domain });
      return presentDomain(place, made);
    })
    .catch((error: unknown) => {
      throw uniqueViolation(error) ? new Invalid({ domain: ['has already been taken'] }) : error;
    });
}

export async function changeDomain(
  services: Services,
  { user }: SignedInActor,
  subject: ProjectSubject,
  params: ChangeParams,
): Promise<PagesDomainEntity> {
  const place = requirePagesAddress(services, subject);
  const { project } = subject;
  const { id, domain } = await requireDomain(services, subject, params.domain);
  const { auto_ssl_enabled: automatic } = params;
  const change = {
    ...(automatic === undefined ? {} : { auto_ssl_enabled: automatic ? 1 : 0 }),
    ...(await certificateIn(services, params)),
  };
  return services.db.write(async (trx) => {
    const before = await lockRow(trx, 'pages_domains', id);
    if (!before) throw new NotFound();
    if (Object.keys(change).length === 0) return presentDomain(place, before);
    const changed = await store.updateDomain(trx, id, change);
    await services.announce(trx, 'pages.changed', { project, by: user, what: 'domain changed', details: domain });
    return presentDomain(place, changed);
  });
}

export async function verifyDomain(services: Services, subject: ProjectSubject, domain: string) {
  const place = requirePagesAddress(services, subject);
  const row = await verify(services, await requireDomain(services, subject, domain));
  if (row.verified_at === null) throw new Unprocessable(`Couldn't verify ${row.domain}`);
  return presentDomain(place, row);
}

export async function deleteDomain(
  services: Services,
  { user }: SignedInActor,
  subject: ProjectSubject,
  name: string,
): Promise<void> {
  requirePagesAddress(services, subject);
  const { project } = subject;
  const { id, domain } = await requireDomain(services, subject, name);
  await services.db.write(async (trx) => {
    if (!(await lockRow(trx, 'pages_domains', id, 'remove'))) throw new NotFound();
    await store.deleteDomain(trx, id);
    // A deleted domain cannot remain the redirect target of the site.
    const site = await siteOf(trx, project.id);
    if (site?.primary_domain && new URL(site.primary_domain).hostname === domain) {
      await changeSite(trx, project.id, { primary_domain: null });
    }
    await services.announce(trx, 'pages.changed', { project, by: user, what: 'domain removed', details: domain });
  });
}
