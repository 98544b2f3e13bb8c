import { buffer } from 'node:stream/consumers';
import type { Services } from '../../../access/services.ts';
import type { X509IssuerRow } from '../tables.ts';
import { findIssuer, issuersWithList, markRevoked, unrevokedCertificates } from './store.ts';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    'signatures.check-issuer': { issuerId: number };
  }
}

const maxListBytes = 16 * 1024 * 1024;
const batchSize = 1000;

/** Checks certificate revocation lists: daily, and when the first certificate of an issuer is seen. */
export function revocationJobs(services: Services): void {
  const { queue } = services;
  queue.defineJob('signatures.check-issuer', ({ payload, signal }) => checkIssuer(services, payload.issuerId, signal), {
    concurrency: 2,
  });
  queue.recurring('signatures.revocations', { minute: 17, hour: 2 }, ({ signal }) => enqueueChecks(services, signal));
}

/** Only issuers with a trusted chain: other lists could come from anyone. */
async function enqueueChecks({ db, queue }: Services, signal: AbortSignal): Promise<void> {
  for (let last = 0; !signal.aborted; ) {
    const issuers = await issuersWithList(db.read, last, batchSize);
    if (issuers.length === 0) return;
    await db.write(async (trx) => {
      for (const { id } of issuers) {
        await queue.enqueue(trx, 'signatures.check-issuer', { issuerId: id }, { dedupeKey: `${id}` });
        last = id;
      }
    });
  }
}

async function checkIssuer(services: Services, id: number, signal: AbortSignal): Promise<void> {
  const { db } = services;
  const issuer = await findIssuer(db.read, id);
  const find = issuer && (await readList(services, issuer, signal));
  for (let last = 0; find && !signal.aborted; ) {
    const candidates = await unrevokedCertificates(db.read, id, last, batchSize);
    if (candidates.length === 0) return;
    last = candidates.at(-1)?.id ?? last;
    const revoked = new Set(find(candidates.map(({ serial_number }) => BigInt(serial_number))).map(String));
    const ids = candidates
      .filter(({ serial_number }) => revoked.has(serial_number))
      .map((certificate) => certificate.id);
    if (ids.length === 0) continue;
    await db.write((trx) => markRevoked(trx, ids, Date.now()));
  }
}

/** Returns which of the given serial numbers are revoked. */
type Finder = (serials: readonly bigint[]) => bigint[];

/**
 * Downloads the revocation list of an issuer; undefined on failure, which is only logged, as the server is a third
 * party's.
 */
async function readList(
  { egress, log }: Services,
  issuer: X509IssuerRow,
  signal: AbortSignal,
): Promise<Finder | undefined> {
  if (issuer.crl_url === null || issuer.certificate === null) return undefined;
  const [{ findRevoked }, { readCertificate }] = await Promise.all([
    import('../../../platform/git/signatures/x509/crl.ts'),
    import('../../../platform/git/signatures/x509/certificate.ts'),
  ]);
  try {
    const timeoutsMs = { total: 60_000 };
    const response = await egress.fetch(issuer.crl_url, { redirects: 3, maxBytes: maxListBytes, timeoutsMs, signal });
    const list = await buffer(response.body);
    if (response.status !== 200) throw new Error(`answered ${response.status}`);
    const by = readCertificate(Buffer.from(issuer.certificate, 'base64'));
    const find: Finder = (serials) => findRevoked(list, by, serials);
    find([]);
    return find;
  } catch (error) {
    log.warn({ err: error, url: issuer.crl_url }, 'failed to read a certificate revocation list');
    return undefined;
  }
}
