import { randomBytes } from 'node:crypto';
import { readScopes } from '../../access/credentials/scopes.ts';
import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { Forbidden, Invalid, NotFound } from '../../platform/http/errors.ts';
import { Page } from '../../platform/http/pages/pagination.ts';
import { digest, safeEqual } from '../../platform/secrets/tokens.ts';
import { type ApplicationInput, applicationProblems, readScopeText } from './rules.ts';
import type { ApplicationEntity } from './schema.ts';
import * as store from './store.ts';
import type { OAuthApplication } from './tables.ts';

/** Returns a random hex secret. */
export const newSecret = () => randomBytes(32).toString('hex');

function present(application: OAuthApplication): ApplicationEntity {
  return {
    id: application.id,
    application_id: application.uid,
    application_name: application.name,
    callback_url: application.redirect_uri,
    confidential: application.confidential === 1,
    scopes: readScopes(application.scopes),
  };
}

interface Order extends ApplicationInput {
  readonly confidential: boolean;
  readonly trusted?: boolean;
}

/** Creates an application; only this response contains its secret. Without an owner it belongs to the instance. */
export async function createApplication(services: Services, owner: User | undefined, wish: Order) {
  const settings = await services.settings.read();
  if (owner && !settings.user_oauth_applications) throw new Forbidden();
  const problems = applicationProblems(wish);
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
  const secret = `gloas-${newSecret()}`;
  const row = {
    uid: newSecret(),
    secret_digest: digest(secret),
    name: wish.name.trim(),
    redirect_uri: wish.redirect_uri.trim(),
    scopes: JSON.stringify(readScopeText(wish.scopes)),
    confidential: wish.confidential ? 1 : 0,
    trusted: wish.trusted ? 1 : 0,
    owner_id: owner?.id ?? null,
    created_at: Date.now(),
  };
  return { ...present(await services.db.write((trx) => store.insertApplication(trx, row))), secret };
}

export async function listApplications({ db }: Services, owner: User | undefined, slice: Slice) {
  const { rows, total } = await store.listApplications(db.read, owner?.id ?? null, slice);
  return new Page(rows, total).map(present);
}

/** Lists the applications a user has authorized. */
export async function listAuthorized({ db }: Services, user: User, slice: Slice) {
  const { rows, total } = await store.listAuthorized(db.read, user.id, slice);
  return new Page(rows, total).map(present);
}

async function find({ db }: Services, owner: User | undefined, id: number): Promise<OAuthApplication> {
  const found = await store.applicationById(db.read, id);
  if (!found || found.owner_id !== (owner?.id ?? null)) throw new NotFound('Application');
  return found;
}

/** Deletes an application together with its grants and tokens. */
export async function deleteApplication(services: Services, owner: User | undefined, id: number): Promise<void> {
  const found = await find(services, owner, id);
  await services.db.write((trx) => store.deleteApplication(trx, found.id));
}

export async function renewSecret(services: Services, owner: User | undefined, id: number) {
  const found = await find(services, owner, id);
  const secret = `gloas-${newSecret()}`;
  await services.db.write((trx) => store.setSecret(trx, found.id, digest(secret)));
  return { ...present(found), secret };
}

export async function revokeApplication({ db }: Services, user: User, id: number): Promise<void> {
  if (!(await db.write((trx) => store.revokeAuthorization(trx, user.id, id)))) throw new NotFound('Application');
}

/** Authenticates an application; confidential ones must present their secret. */
export async function authenticateClient(
  { db }: Services,
  uid: string,
  secret: string | undefined,
): Promise<OAuthApplication | undefined> {
  const application = await store.applicationByUid(db.read, uid);
  if (!application) return undefined;
  const isRight = secret !== undefined && safeEqual(digest(secret), application.secret_digest);
  if (application.confidential === 1 || (secret !== undefined && secret !== ''))
    return isRight ? application : undefined;
  return application;
}
