import type { LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import type { Answer, Resolver } from './resolve.ts';

/**
 * How the client opens connections: every one is resolved once, checked, and dialled at the addresses that were checked.
 * Here and not before the request, so that no retry, redirect or reconnect of the client can get around it.
 */
export function createConnect(
  resolve: Resolver,
  options: { timeoutMs: number; ca?: string; verifyCertificate?: boolean },
): buildConnector.connector {
  return (to, callback) => {
    const port = Number(to.port) || (to.protocol === 'https:' ? 443 : 80);
    resolve({ host: to.hostname, port }).then(
      (answers) => {
        const dial = buildConnector({
          timeout: options.timeoutMs,
          ca: options.ca,
          rejectUnauthorized: options.verifyCertificate ?? true,
          lookup: pinned(answers),
        });
        dial(to, callback);
      },
      (error: Error) => callback(error, null),
    );
  };
}

// A second look-up could give another answer than the one that was checked: this one asks nobody.
function pinned(answers: readonly Answer[]): LookupFunction {
  return (_host, { all }, callback) => {
    const [first] = answers;
    if (all) callback(null, [...answers]);
    else callback(null, first?.address ?? '', first?.family);
  };
}
