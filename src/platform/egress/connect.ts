import type { LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import type { Answer, Resolver } from './resolve.ts';

/**
 * Creates the connector of the client: each host is resolved once, checked, and connected to only at the checked
 * addresses. Done per connection rather than per request, so that no retry, redirect or reconnect of the client can
 * bypass it.
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

// A second lookup could return other addresses than the checked ones (DNS rebinding), so this one returns those.
function pinned(answers: readonly Answer[]): LookupFunction {
  return (_host, { all }, callback) => {
    const [first] = answers;
    if (all) callback(null, [...answers]);
    else callback(null, first?.address ?? '', first?.family);
  };
}
