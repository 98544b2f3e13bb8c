import { termsDigest } from '../../src/access/credentials/terms-enforcement.ts';
import { rootToken, type TestServer } from './server.ts';

const text = 'Rinse the pot.';

/** Enforces terms for all users but `root`. */
export async function enforceTerms(server: TestServer): Promise<void> {
  await acceptTerms(server, 1);
  await server.must('PUT /application/settings', { token: rootToken, json: { enforce_terms: true, terms: text } });
}

/** Accepts the terms for a user. */
export async function acceptTerms(server: TestServer, userId: number): Promise<void> {
  const accepted_terms = termsDigest(text);
  await server.db.write((trx) => trx.updateTable('users').set({ accepted_terms }).where('id', '=', userId).execute());
}

export async function dropTerms(server: TestServer): Promise<void> {
  await server.must('PUT /application/settings', { token: rootToken, json: { enforce_terms: false } });
}
