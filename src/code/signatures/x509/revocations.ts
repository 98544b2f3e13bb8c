import { buffer } from 'node:stream/consumers';
import type { Services } from '../../../access/services.ts';
import type { X509IssuerRow } from '../tables.ts';
import { findIssuer, goodCertificates, issuersWithList, markRevoked } from './store.ts';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    'signatures.check-issuer': { issuerId: number };
  }
}

const longestList = 16 * 1024 * 1024;
const atOnce = 1000;

/** Looks at the lists of revoked certificates: of an issuer when one of its certificates is first seen, and daily. */
export function revocationJobs(services: Services): void {
  const { queue } = services;
  queue.defineJob('signatures.check-issuer', ({ payload, signal }) => checkIssuer(services, payload.issuerId, signal), {
    concurrency: 2,
  });
  queue.recurring('signatures.revocations', { minute: 17, hour: 2 }, ({ signal }) => enqueueChecks(services, signal));
}

/** The issuers that somebody trusted has vouched for; a list of any other could be anybody's. */
async function enqueueChecks({ db, queue }: Services, signal: AbortSignal): Promise<void> {
  for (let last = 0; !signal.aborted; ) {
    const issuers = await issuersWithList(db.read, last, atOnce);
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
    const good = await goodCertificates(db.read, id, last, atOnce);
    if (good.length === 0) return;
    last = good.at(-1)?.id ?? last;
    const revoked = new Set(find(good.map(({ serial_number }) => BigInt(serial_number))).map(String));
    const ids = good.filter(({ serial_number }) => revoked.has(serial_number)).map((certificate) => certificate.id);
    if (ids.length === 0) continue;
    await db.write((trx) => markRevoked(trx, ids, Date.now()));
  }
}

/** Says which of some certificates are revoked. */
type Finder = (serials: readonly bigint[]) => bigint[];

/** The issuer's list; undefined when it cannot be had, which is for the log alone: it is somebody else's server. */
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
    const response = await egress.fetch(issuer.crl_url, { redirects: 3, maxBytes: longestList, timeoutsMs, signal });
    const list = await buffer(response.body);
    if (response.status !== 200) throw new Error(`answered ${response.status}`);
    const by = readCertificate(Buffer.from(issuer.certificate, 'base64'));
    const find: Finder = (serials) => findRevoked(list, by, serials);
    find([]);
    return find;
  } catch (error) {
    log.warn({ err: error, url: issuer.crl_url }, 'a list of revoked certificates could not be read');
    return undefined;
  }
}
